import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { configFiles } from '#shared/config-files.ts';
import { containerSpec } from '#shared/engine.ts';
import { HALT_REASONS, RUNTIME_STATES } from '#shared/server-codes.ts';
import { RECIPE_IDS } from '#server/panel/index.ts';
import { ingredientsSchema } from './ingredients.ts';
import { ensureFolder, readText, replaceFile } from './files.ts';
import { SLOTS } from './sandbox/network.ts';

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const port = z.int().check(z.gte(1024), z.lte(65_535));
const amount = (most: number) => z.int().check(z.gte(1), z.lte(most));

/** Variables of a server: what its process finds in its environment, and nothing else ever reads. */
const environment = z.record(
  z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/)),
  z.string().check(
    z.maxLength(1000),
    z.refine((value) => !value.includes('\0')),
  ),
);

/**
 * What is sent over the socket: an id, enumerations, numbers, variables, and configuration files, whose paths are data
 * for a program in the server's own sandbox. Of a container also the name of its image, its start command and its
 * script: they are run in the container and nowhere else (decision 123).
 */
export const specSchema = z
  .strictObject({
    id: z.string().check(z.regex(UUID)),
    revision: z.int().check(z.gte(0)),
    installation: z.int().check(z.gte(0)),
    recipe: z.enum(RECIPE_IDS),
    memory: amount(16_777_216),
    disk: amount(1_073_741_824),
    cpu: amount(102_400),
    ports: z.array(port).check(z.minLength(1), z.maxLength(100)),
    suspended: z.boolean(),
    // Files of earlier versions have none.
    environment: z._default(environment, {}),
    configFiles: z._default(configFiles, []),
    licence: z._default(z.boolean(), false),
    container: z._default(z.nullable(containerSpec), null),
  })
  .check(z.refine(({ recipe, container }) => (recipe === 'container') === (container !== null)));
export type Spec = z.infer<typeof specSchema>;

const stateSchema = z.object({
  /** Its place among all: gives its user and its address. */
  slot: z.int().check(z.gte(0), z.lt(SLOTS)),
  state: z.enum(RUNTIME_STATES),
  /** The installation that was carried out last. */
  installed: z.int(),
  /** It shall run: started, and not stopped since. */
  wanted: z.boolean(),
  startedMs: z.number(),
  /** When it ended by itself lately. */
  crashes: z.array(z.number()),
  /** Why it does not run, or does not end; files of earlier versions have none. */
  halt: z._default(z.nullable(z.object({ reason: z.enum(HALT_REASONS), port: z.nullable(z.int()) })), null),
  /** What its last installation loaded for it, and of which version. */
  ingredients: z._default(ingredientsSchema, {}),
  version: z._default(z.string(), ''),
  /** The image it was installed with: its name, and the engine's id of what that was then. */
  image: z._default(z.nullable(z.object({ name: z.string(), id: z.string() })), null),
});
export type State = z.infer<typeof stateSchema>;

/** Users of servers have the numbers from here on, one a slot: far above those of people, services and containers. */
const FIRST_USER = 2_000_000_000;
export const userOf = (slot: number) => FIRST_USER + slot;

export type Store = ReturnType<typeof createStore>;

/**
 * The folder of servers: one a server, owned by root, with `home`, which alone is the server's. Nothing here is ever
 * opened below `home`. Beside them lies `cache`, what is loaded once for all of them.
 *
 * - `spec.json`, `state.json`: what it shall be and what it is, each replaced as a whole
 * - `run/`: pipes, lock, mark and exit status of its process
 * - `files/`, `archive/`: what the programs that work on its files, and pack them, are begun with
 * - `backups/`: a record and an archive each; `restore/`: what is there only while one is restored
 * - `deleting`: it is being deleted; that goes on after whatever came between
 */
export function createStore(root: string) {
  ensureFolder(root, 0o711);
  const at = (id: string) => `${root}/${id}`;
  return {
    root,
    at,
    home: (id: string) => `${at(id)}/home`,
    run: (id: string) => `${at(id)}/run`,
    files: (id: string) => `${at(id)}/files`,
    archive: (id: string) => `${at(id)}/archive`,
    backups: (id: string) => `${at(id)}/backups`,
    restore: (id: string) => `${at(id)}/restore`,
    ids: () => readdirSync(root).filter((name) => UUID.test(name)),
    make(id: string): void {
      mkdirSync(`${at(id)}/run/root`, { recursive: true, mode: 0o711 });
    },
    /** Null: it was never written, or not as a whole. */
    readSpec(id: string): Spec | null {
      const read = specSchema.safeParse(parse(readText(`${at(id)}/spec.json`)));
      return read.success ? read.data : null;
    },
    readState(id: string): State | null {
      const read = stateSchema.safeParse(parse(readText(`${at(id)}/state.json`)));
      return read.success ? read.data : null;
    },
    writeSpec: (spec: Spec) => replaceFile(`${at(spec.id)}/spec.json`, JSON.stringify(spec)),
    writeState: (id: string, state: State) => replaceFile(`${at(id)}/state.json`, JSON.stringify(state)),
    has: (id: string) => existsSync(at(id)),
    /** Its own folder was never made, so nothing was ever started in it. */
    isEmpty: (id: string) => !existsSync(`${at(id)}/home`),
    isDeleting: (id: string) => existsSync(`${at(id)}/deleting`),
    markDeleting: (id: string) => writeFileSync(`${at(id)}/deleting`, '', { mode: 0o600 }),
    /** Removes what is left of a server whose own folder is empty. Out: whether it is gone. */
    forget(id: string): boolean {
      rmSync(at(id), { recursive: true, force: true });
      return !existsSync(at(id));
    },
  };
}
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
