import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { Log } from '#server/modules/kernel.ts';
import { createOutbound, type Outbound } from '#server/outbound.ts';
import { DownloadFailed, type Entry, type Ingredient } from './plan.ts';
import { createReader } from './reader.ts';
import { DOWNLOADS } from '#server/panel/embedded/runtime.ts';
import { findPlan } from './sources.ts';
import { createTransfer } from './transfer.ts';
import { unpack } from './unpack.ts';

/**
 * The program that loads games and runtimes, in a sandbox of its own: it has the machine's network and one folder, and
 * no rights. Says lines of JSON on its standard output: what it does, and at the end what there is, or why not.
 */
const FOLDER = '/home/container';
const order = z
  .object({
    download: z.enum(DOWNLOADS),
    version: z.string(),
    /** Where everything is asked for instead of at its source: `<mirror>/<host>/<path>`. */
    mirror: z.nullable(z.string()),
    userAgent: z.string(),
    /** Entries that the machine has. */
    has: z.array(z.string()),
  })
  .parse(await Bun.file(`${import.meta.dir}/order.json`).json());

const writeLine = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const print = (text: string): void => writeLine({ say: text });
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** The way out: public addresses only, or the operator's mirror alone. */
function wayOut(mirror: string | null): Outbound {
  const ask = createOutbound({
    settings: { current: () => ({ outbound_private_networks: mirror !== null }) },
    log: silent,
  });
  if (mirror === null) return ask;
  return (url, init) => {
    const { host, pathname, search } = new URL(url);
    return ask(`${mirror}/${host}${pathname}${search}`, init);
  };
}

const transfer = createTransfer({ ask: wayOut(order.mirror), userAgent: order.userAgent, print });

/** Loads an entry into a folder of its name. */
async function load({ name, files, unpack: unpacking, texts = {} }: Entry): Promise<void> {
  const at = join(FOLDER, unpacking ? '.loading' : name);
  for (const file of files) {
    const isChecked = file.checksum !== null;
    // Without what tells one build from another.
    const shown = name.replace(/-(?:[0-9a-f]{16}|unchecked)$/, '');
    print(`Loading ${shown}${isChecked ? '' : ' (its source publishes no checksum)'}…`);
    await mkdir(dirname(join(at, file.path)), { recursive: true });
    await transfer.load(file, join(at, file.path));
  }
  const [archive] = files;
  if (unpacking && archive) await unpack(join(at, archive.path), join(FOLDER, name), unpacking);
  for (const [path, text] of Object.entries(texts)) await writeFile(join(FOLDER, name, path), text);
}

try {
  const reader = createReader(transfer, process.arch === 'arm64' ? 'aarch64' : 'x64');
  const plan = await findPlan(reader, order.download, order.version);
  const ingredients = Object.entries(plan.ingredients) as [Ingredient, Entry][];
  print(`Version ${plan.version}`);
  for (const [, entry] of ingredients) if (!order.has.includes(entry.name)) await load(entry);
  writeLine({
    done: {
      version: plan.version,
      ingredients: Object.fromEntries(ingredients.map(([ingredient, { name }]) => [ingredient, name])),
    },
  });
} catch (error) {
  if (!(error instanceof DownloadFailed)) process.stderr.write(`${String(error)}\n`);
  writeLine({
    failed: error instanceof DownloadFailed ? error.message : 'Something went wrong; the log of the node says what.',
  });
}
