import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roomyFolder } from './folder.ts';
import { freePort } from './free-port.ts';
import { programs, serverUser } from './postgres.ts';

const PLACE = '-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200';
/** Where the disk is not what is tested. */
const WITHOUT_DISK = '-c fsync=off -c full_page_writes=off';

/**
 * A PostgreSQL server of one test file alone, which it may restart. What is committed outlives its processes;
 * `durable`: the machine as well, with the settings that PostgreSQL comes with, on the disk.
 */
export class PostgresServer {
  private readonly folder: string;
  private readonly settings: string;
  private port = 0;

  constructor({ durable = false } = {}) {
    this.folder = mkdtempSync(join(durable ? tmpdir() : roomyFolder(), 'spawnpoint-postgres-own-'));
    this.settings = durable ? PLACE : `${PLACE} ${WITHOUT_DISK}`;
  }

  /** Address of its database. */
  get url(): string {
    return `postgres://spawnpoint@127.0.0.1:${this.port}/postgres`;
  }
  async start(): Promise<void> {
    this.port = await freePort();
    const user = serverUser();
    if (user) chownSync(this.folder, user.uid, user.gid);
    await this.run(
      'initdb',
      '-D',
      this.data,
      '-U',
      'spawnpoint',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C',
      '--no-sync',
    );
    await this.control('start');
  }
  /** Restarts it: its connections are cut, what is under way is rolled back. */
  restart(): Promise<void> {
    return this.control('restart', '-m', 'fast');
  }
  /** Kills its processes, as a crash does, and starts it again. */
  async crash(): Promise<void> {
    await this.control('stop', '-m', 'immediate');
    await this.control('start');
  }
  async remove(): Promise<void> {
    await this.control('stop', '-m', 'immediate').catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.folder, 'data');
  }
  private control(...words: string[]): Promise<void> {
    const log = join(this.folder, 'log');
    return this.run('pg_ctl', '-D', this.data, '-w', '-l', log, '-o', `-p ${this.port} ${this.settings}`, ...words);
  }
  private async run(program: string, ...words: string[]): Promise<void> {
    const user = serverUser();
    const as = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
    const child = Bun.spawn([...as, join(programs(), program), ...words], {
      cwd: this.folder,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    if ((await child.exited) !== 0) throw new Error(`${program} ${words.at(-1)} failed, see ${this.folder}/log`);
  }
}
