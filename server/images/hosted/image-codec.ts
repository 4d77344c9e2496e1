import * as z from 'zod/mini';
import type { DrawnImage, ImageCodec, ImageFault } from '#server/modules/images/index.ts';
import { IMAGE_TYPES } from '#shared/images.ts';
import { drawImage } from './draw.ts';
import { readFrames, toFrame } from './frames.ts';

interface Options {
  /** How this program is started: its path, and in development that of its main file. */
  readonly command: readonly string[];
  /** Processes at once. */
  readonly lanes?: number;
  /** How long an image may take, in ms; then its process is killed. */
  readonly limitMs?: number;
  /** How long a process waits for more work, in ms. */
  readonly idleMs?: number;
}
/** Images that wait; each is up to 8 MB in memory. */
const WAITING_MAX = 24;
/** Images after which a process ends, whatever they did to it. */
const IMAGES_A_PROCESS = 25;
/** Bytes of one form: what a decoder makes of 40 million pixels is not larger. */
const FORM_MAX = 200 << 20;

const fault = z.object({ fault: z.enum(['IMAGE_FORMAT', 'IMAGE_MOVING', 'IMAGE_PIXELS']) });
const facts = z.object({
  type: z.enum(IMAGE_TYPES),
  width: z.int(),
  height: z.int(),
  hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});

/** Draws on the thread of whoever asks, for commands and tests. */
export const ownThreadCodec: ImageCodec = { draw: drawImage, stop: () => undefined };

/**
 * Draws images in processes of their own, two at a time: what a file does to a decoder ends with its process, which has
 * neither our environment nor our files open, and is killed where it takes too long or too much memory. Then the file
 * counts as unreadable.
 */
export function createImageCodec({ command, lanes = 2, limitMs = 20_000, idleMs = 30_000 }: Options): ImageCodec {
  const waiting: { file: Uint8Array<ArrayBuffer>; resolve: (drawn: DrawnImage | ImageFault) => void }[] = [];
  const idle: Process[] = [];
  const all = new Set<Process>();
  let busy = 0;

  function spawn(): Process {
    const made = startProcess(command, limitMs);
    all.add(made);
    void made.exited.then(() => all.delete(made));
    return made;
  }
  function next(): void {
    const job = busy < lanes ? waiting.shift() : undefined;
    if (!job) return;
    busy += 1;
    void run(job);
  }
  async function run({ file, resolve }: (typeof waiting)[number]): Promise<void> {
    resolve(await work(file));
    busy -= 1;
    next();
  }
  async function work(file: Uint8Array<ArrayBuffer>): Promise<DrawnImage | ImageFault> {
    const process = idle.pop() ?? spawn();
    process.rest(null);
    const drawn = await process.draw(file);
    if (drawn === null || process.drawn() >= IMAGES_A_PROCESS) process.end();
    else {
      idle.push(process);
      process.rest(
        setTimeout(() => {
          idle.splice(idle.indexOf(process), 1);
          process.end();
        }, idleMs).unref(),
      );
    }
    return drawn ?? 'IMAGE_FORMAT';
  }
  return {
    draw: (file) =>
      waiting.length >= WAITING_MAX
        ? Promise.resolve('IMAGE_BUSY')
        : new Promise((resolve) => {
            waiting.push({ file, resolve });
            next();
          }),
    stop: () => {
      for (const process of all) process.end();
    },
  };
}

type Process = ReturnType<typeof startProcess>;
function startProcess(command: readonly string[], limitMs: number) {
  const child = Bun.spawn([...command, 'image-codec'], {
    env: {},
    cwd: '/',
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  });
  child.unref();
  const frames = readFrames(child.stdout, FORM_MAX);
  let count = 0;
  let resting: ReturnType<typeof setTimeout> | null = null;
  const end = (): void => void child.kill('SIGKILL');
  async function readFrame(): Promise<Uint8Array<ArrayBuffer>> {
    const { value, done } = await frames.next();
    if (done) throw new Error('the process ended');
    return value;
  }
  async function ask(file: Uint8Array<ArrayBuffer>): Promise<DrawnImage | ImageFault> {
    await child.stdin.write(toFrame(file));
    await child.stdin.flush();
    const said: unknown = JSON.parse(new TextDecoder().decode(await readFrame()));
    const refused = fault.safeParse(said);
    if (refused.success) return refused.data.fault;
    const drawn = facts.parse(said);
    return { ...drawn, forms: { full: await readFrame(), medium: await readFrame(), small: await readFrame() } };
  }
  return {
    exited: child.exited,
    end,
    drawn: () => count,
    /** Keeps what ends a process that has nothing to do; null: it has again. */
    rest(timer: typeof resting): void {
      if (resting) clearTimeout(resting);
      resting = timer;
    },
    /** Null: it took too long or broke down, and is of no more use. */
    async draw(file: Uint8Array<ArrayBuffer>): Promise<DrawnImage | ImageFault | null> {
      count += 1;
      const late = setTimeout(end, limitMs);
      try {
        return await ask(file);
      } catch {
        return null;
      } finally {
        clearTimeout(late);
      }
    },
  };
}
