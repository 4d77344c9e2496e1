import { IMAGE_FORMS, IMAGE_MAX_BYTES } from '#shared/images.ts';
import { drawImage } from './draw.ts';
import { readFrames, toFrame } from './frames.ts';

/** Memory of the process at which it ends itself: several times what the largest image needs. */
const RSS_MAX = 1_200_000_000;
const LOOK_MS = 50;

/**
 * `spawnpoint image-codec`, which only a server starts: draws the images of its standard input until that ends. Each
 * comes as a message (frames.ts); the answer is a message of JSON, and where it could be drawn one for each form.
 * `rssMax`: bytes of memory at which it ends itself, with 1. Out: 0, once its input has ended.
 */
export async function runCodec(rssMax = RSS_MAX): Promise<number> {
  const look = setInterval(() => {
    if (process.memoryUsage.rss() > rssMax) process.exit(1);
  }, LOOK_MS);
  const output = Bun.stdout.writer();
  for await (const file of readFrames(Bun.stdin.stream(), IMAGE_MAX_BYTES)) {
    const drawn = await drawImage(file);
    const { forms, ...facts } = typeof drawn === 'string' ? { forms: null, fault: drawn } : drawn;
    await output.write(toFrame(new TextEncoder().encode(JSON.stringify(facts))));
    if (forms) for (const form of IMAGE_FORMS) await output.write(toFrame(forms[form]));
    await output.flush();
  }
  clearInterval(look);
  return 0;
}
