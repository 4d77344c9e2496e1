/** What `spawnpoint --help` prints. The command line speaks English, like its logs. */
export const HELP = `Spawnpoint: the dashboard of a game-server host.

Usage: spawnpoint <command>

  serve [--local] [--only api] [--safe] [--workers N]
                                 Serve. --local binds to this machine only, lets it pass the access check and offers sample data;
                                 --only api serves the hosting API without pages; --safe leaves out the host's own stylesheet,
                                 script, plugins and ads (for one page, staff who may change settings add ?safe=1 to its address).
                                 --workers makes pages in N processes (1 to 64) that share the port, beside one for everything
                                 else (Linux): SIGHUP replaces them by the program that lies there now, without losing an answer.
  node                           Run servers on this machine, as root (RUNTIME=auto in the environment of serve). They go on without it.
  migrate                        Bring the database up to date.
  user create --username NAME --email ADDRESS [--role owner] [--password-stdin]
                                 Create an account (asks for the password, or reads it from standard input).
  user ban --username NAME --reason TEXT [--days N]
                                 Ban a user, for some days or permanently. A running server follows within a minute.
  user unban --username NAME     Lift a ban.
  user password --username NAME [--password-stdin]
                                 Set a new password and end all sessions (asks for it, or reads it from standard input).
  user 2fa-off --username NAME   Take the second factor away from somebody who lost app and recovery codes.
  user delete --username NAME [--whole] --yes
                                 Delete an account: its servers and everything personal go, its records stay under another name.
                                 --whole removes an account without records entirely; without --yes only what hangs on it is shown.
  user list [--role ROLE]        Show the users with their roles.
  user role --username NAME --role ROLE
                                 Give an account another role, by the role's name (or member, vip, support, admin, owner).
  user token list | create | revoke --username NAME …
                                 Show, make and revoke API tokens of an account ("user token" alone prints the options and scopes).
  mail list [--limit N]          Show the outbox: without SMTP this is where mails are read.
  backup create [--recipient AGE1…] [--passphrase-stdin]
                                 Save database, key and uploads into one encrypted file in DATA_DIR/backups, while a server runs.
  backup list | count | verify ID | delete ID | key | send ID | fetch ID | remote
                                 Show the backups, or what this installation holds now; restore one into a copy that is thrown away
                                 and prove its ledger; delete one; print the recovery key, which opens them: keep it somewhere else.
  restore ID|FILE [--key-stdin | --passphrase-stdin] [--yes] [--no-copy]
                                 Replace everything by a backup, also on an empty machine and on the other engine. Asks twice, and
                                 makes a copy of what is replaced (--no-copy: without, where the database is damaged).
  import SOURCE FILE|ADDRESS [--dry-run] …
                                 Bring users with their passwords, credits, servers and more over from another dashboard ("import"
                                 alone prints the sources and options).
  import --resume [RUN] | list | report RUN | undo RUN
                                 Go on with one, show them, what came of one, and take one back while nobody has logged in.
  ledger verify                  Prove every balance and the ledger's archive.
  panel list                     Show the game panels that are connected.
  panel add --name NAME --url ADDRESS --key KEY [--client-key KEY]
                                 Connect a Pterodactyl or Pelican panel (KEY - for standard input).
  panel test ID | sync ID        Ask a panel what its key may do; read its catalogue.
  vpn load PATH | show | clear   The list of networks that count as VPN (PATH - for standard input).
  settings list | get KEY | set KEY VALUE [KEY VALUE ...]
                                 Read and change settings. In place of VALUE: --file PATH for the content of a file, - for standard input.
                                 A service's new address needs the service's key in the same command.
  doctor [--json]                Check the installation and say what to do about what is not fine; nothing is changed. Ends with 0 where all
                                 is fine, 1 where something is failing, 3 where there are warnings.
  --new                          With any command: make a new installation where there is none, also beside a key that is there already.
  --new-key                      With any command: go on although the key of the database is lost. Secrets have to be entered again.
  plugin new DIR | check DIR | pack DIR | keygen FILE | sign PACKAGE --key FILE
                                 Begin a plugin, say what is wrong with one, pack it, make a key and sign it with that.
  sdk [DIR]                      Write the TypeScript client of the API into a folder (./spawnpoint-sdk).
  smoke URL [--ca FILE] [--insecure]
                                 Check a running installation from outside. --ca trusts the certificates of a PEM file as well (an
                                 authority of your own); --insecure trusts any, and says nothing of who answers.

Environment
  HOST (127.0.0.1)  PORT (3000)  DATA_DIR (./data)  APP_URL  APP_KEY  TRUSTED_PROXIES (loopback)  LOG_LEVEL (info)
  DATABASE_URL (SQLite in the data folder)  PANEL_DRIVER (embedded)  PANEL_URL  PANEL_KEY  PANEL_CLIENT_KEY
  RUNTIME (simulated)  SERVERS_DIR (./servers)  SERVER_PORTS (25565-25664)
  DOWNLOAD_MIRROR  ENGINE_SOCKET  REDIS_URL  HOSTING_API_URL  COMPRESSION (on)  METRICS_PORT  METRICS_TOKEN
  HSTS_SUBDOMAINS (off)
  MAIL_HOST  MAIL_PORT (587)  MAIL_ENCRYPTION (starttls)  MAIL_USERNAME  MAIL_PASSWORD  MAIL_FROM_ADDRESS  MAIL_FROM_NAME`;
