import { SECOND } from '#shared/time.ts';
import { EngineError } from './calls.ts';
import type { Engine, Image } from './client.ts';

interface Loading {
  readonly engine: Pick<Engine, 'image' | 'pull' | 'isFull'>;
  /** Takes lines for the console. */
  readonly print: (text: string) => void;
  /** Why it is to be broken off; null: go on. */
  readonly stopped: () => string | null;
}

const LOOK_MS = 200;
/** How often a console shows how much of an image is there. */
const SHOWN_MS = 2 * SECOND;
/** What images are called that were made on this machine: no registry has them. */
const LOCAL = 'localhost/';
const FULL = 'The disk of this machine has no room for it.';

/**
 * Brings an image from its registry, as it is there now. Where that does not answer the one that is here already is as
 * good. Out: the image; else why there is none.
 */
export async function loadImage(
  name: string,
  { engine, print, stopped }: Loading,
): Promise<Image | { readonly failed: string }> {
  const end = new AbortController();
  let reason: string | null = null;
  let saidMs = -Infinity;
  print(`Image ${name}`);
  if (!name.startsWith(LOCAL)) {
    const watch = setInterval(() => {
      reason ??= engine.isFull() ? FULL : stopped();
      if (reason !== null) end.abort();
    }, LOOK_MS);
    try {
      await engine.pull(
        name,
        (percent) => {
          if (performance.now() - saidMs < SHOWN_MS) return;
          saidMs = performance.now();
          print(`Image ${name}: ${percent} %`);
        },
        end.signal,
      );
    } catch (error) {
      if (reason !== null) return { failed: reason };
      if (!(error instanceof EngineError)) throw error;
      print(`Image ${name} was not loaded: ${error.message}`);
    } finally {
      clearInterval(watch);
    }
  }
  const found = await engine.image(name);
  return found ?? { failed: `There is no image ${name}.` };
}
