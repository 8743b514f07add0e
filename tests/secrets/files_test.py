"""Names of files that nobody means to commit, and names that only resemble them."""

from smartcommit.secrets.files import (
    IS_BUILT,
    IS_SCRATCH,
    IS_TEMPORARY,
    NOTHING,
    UNNAMED,
    UNUSUAL,
    find_form,
    find_unwanted,
    is_secret_file,
    may_hold_secrets,
)
from tests.support.table import rows

SECRETS = """
.vault_pass passwords.txt token.txt id_rsa.bak id_ed25519_work deploy_key AuthKey_ABC.p8 .git-credentials .envrc
kubeconfig .docker/config.json terraform.tfstate.backup .bash_history secrets/prod.yaml .dev.vars .env .env.local
.env.staging prod.env config/app.env .netrc _netrc .pgpass .my.cnf .aws/credentials credentials.csv rootkey.csv
gcp-key.json service-account.json my-service_account_key.json client_secret_123.apps.googleusercontent.com.json
.zsh_history .psql_history .python_history .mysql_history .node_repl_history .rediscli_history
ConsoleHost_history.txt release.jks app.keystore cert.p12 key.properties wallet.dat
UTC--2017-01-01T00-00-00.000Z--abc wg0.conf client.ovpn login.keychain-db Passwords.kdbx logins.json key4.db
cookies.txt .pypirc .gem/credentials .cargo/credentials.toml auth.json .htpasswd .kube/config kubeconfig.yaml
prod.kubeconfig server.key tls.key privkey.pem id_dsa .ssh/work .gnupg/secring.gpg secrets.yml secrets.json
secret.yaml db-secret.yaml credentials.json credentials .s3cfg .boto rclone.conf .config/gh/hosts.yml
local.settings.json .terraformrc config/master.key .secrets.toml .streamlit/secrets.toml .secrets api_keys.json
apikey.txt access_token.txt github_token .npm-token .slack-token vault_password.txt ansible/vault_pass.txt
.vault-token sftp-config.json .vscode/sftp.json .idea/dataSources.local.xml filezilla.xml x.mobileprovision
krb5.keytab .authinfo .dockercfg .databrickscfg .m2/settings.xml .gradle/gradle.properties private_key private.key
ssh_host_rsa_key github_rsa mnemonic.txt seed_phrase.txt recovery-codes.txt application_default_credentials.json
firebase-adminsdk-x.json .env.bak .env~ creds.txt admin_password.txt .Xauthority terraform.tfstate .fly/config.yml
.azure/accessTokens.json putty.ppk .sentryclirc bitwarden_export_20240101.json lastpass_export.csv 1password.csv
keepass-export.xml my-secret-key.asc .config/sops/age/keys.txt my-public-repo/secrets.yml
"""
# Their content is not shown to a model, but a person may well commit them.
SENSITIVE = """
.npmrc wp-config.php dev.tfvars example.env .env.vault .env.test .env.ci .env.d.ts default.key
"""
HARMLESS = """
.env.example .env.sample .env.template .env.dist id_rsa.pub secrets.py token.go password_reset.html
src/secrets/index.ts secrets/README.md docs/secrets.md tokens.json design-tokens.json tokenizer.json
locales/en/auth.json reset_password.txt templates/secret.yaml serviceaccount.yaml service-account.yaml
rotate-secrets.sh secrets.enc.yaml sealed-secret.yaml debug.keystore keyboard.txt monkey.json src/history
version_history.txt history.md credentials.yml.enc passwords.html api_keys.ts token.ts lib/token.rb password_test.go
config.json .ssh/config .ssh/known_hosts authorized_keys environment.yml env.d.ts env.ts key.txt keys.go
package.json kubeconfig.go secret_test.go CHANGELOG secrets.rs Secret.java auth.py auth_test.json login.json
login.html settings.xml gradle.properties hosts.yml secrets.schema.json .pem.md known_hosts tokens.css tokenize.txt
passwordless.md credential-helper.sh history.txt external-secrets.yaml k8s/external-secret.yaml
k8s/app-sealed-secret.yaml sealed-secrets/db-secret.yaml locales/de/password.json src/i18n/en/secrets.yml
cacert.pem ca.pem cert.pem
certs/fullchain.pem public.key jwt/public_key.pem pubkey.pem release-public-key.asc bitwarden_encrypted_export.json
keepass.ts
"""


@rows("name", *SECRETS.split())
def test_a_file_that_is_nothing_but_secrets(name: str) -> None:
    for path in (name, f"some/folder/{name}"):
        # At the top level of a project it is Composer's; elsewhere, often a translation.
        assert is_secret_file(path.encode()) == (path != "some/folder/auth.json")


@rows("name", *SENSITIVE.split())
def test_a_file_that_may_hold_secrets(name: str) -> None:
    assert (is_secret_file(name.encode()), may_hold_secrets(name.encode())) == (False, True)


@rows("name", *HARMLESS.split())
def test_a_template_a_public_key_a_program_or_a_page_is_harmless(name: str) -> None:
    assert not may_hold_secrets(name.encode())


@rows(
    ("name", "reason", "evidence"),
    ("core.123", IS_BUILT, NOTHING), ("core.go", None, None), (".lock-wscript", IS_BUILT, NOTHING),
    ("app.py~", IS_TEMPORARY, NOTHING), ("index-0a1b2c3d.js", IS_BUILT, UNUSUAL), ("app.log", IS_TEMPORARY, UNUSUAL),
    ("dump.sql", IS_TEMPORARY, UNNAMED), ("Scratch.py", IS_SCRATCH, UNNAMED), ("scratch.exe", None, None),
    ("tmp-12.txt", IS_SCRATCH, UNNAMED), ("clean_tmp.py", None, None), ("clean.log", IS_TEMPORARY, UNUSUAL),
)  # fmt: skip
def test_what_programs_and_people_leave_has_a_form(name: str, reason: str | None, evidence: int | None) -> None:
    form = find_form(f"a/{name}".encode())
    assert (form and form.reason, form and form.evidence) == (reason, evidence)
    found = find_unwanted([name.encode()], lambda _: set())
    assert found == ({name.encode(): reason} if evidence == NOTHING else {})


@rows("folder", "coverage/lcov-report/", "app/bin/Debug/", "bin/Release/", "x64/Release/")
def test_a_folder_that_a_program_made(folder: str) -> None:
    found = find_unwanted([f"{folder}net8.0/app.pdb".encode()], lambda _: set())
    assert found == {folder.encode(): "looks like a build artifact, 1 file"}


@rows(
    ("names", "folders"),
    ("package.json dist/a.bin", [b"dist/"]),
    ("dist/a.bin", []),
    ("package.json dist/a.bin dist/release.sh", []),
    ("package.json action.yml dist/a.bin", []),
    ("package.json build/icon.png", []),
)
def test_a_folder_is_built_beside_what_builds_it(names: str, folders: list[bytes]) -> None:
    assert list(find_unwanted([name.encode() for name in names.split()], lambda _: set())) == folders


def test_what_is_tracked_is_looked_up_once_and_only_for_folders() -> None:
    calls = []

    def find_tracked(names: list[bytes]) -> set[bytes]:
        calls.append(names)
        return {b"a/node_modules/"}

    assert find_unwanted([b"a.py", b".DS_Store"], find_tracked) == {b".DS_Store": "looks like a temporary file"}
    assert calls == []
    paths = [b"a/node_modules/b.js", b"b/node_modules/c/node_modules/d.js", b"pyvenv.cfg"]
    assert find_unwanted(paths, find_tracked) == {b"b/node_modules/": "looks like a build artifact, 1 file"}
    assert len(calls) == 1
