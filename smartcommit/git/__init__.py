"""Git access; the only package that runs git. What runs it raises GitError if git fails, unless it says otherwise."""
