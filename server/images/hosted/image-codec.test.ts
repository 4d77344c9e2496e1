import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { pngOf } from '#tests/support/pictures.ts';
import { drawImage } from './draw.ts';
import { readFrames, toFrame } from './frames.ts';
import { createImageCodec } from './image-codec.ts';

const command = [process.execPath, join(import.meta.dir, '..', '..', 'main.ts')];
const bytes = (text: string) => new TextEncoder().encode(text);

describe('processes that draw images', () => {
  const codec = createImageCodec({ command, lanes: 1 });
  afterAll(() => codec.stop());

  test('a process draws the same as this one, several one after the other, and says what it cannot draw', async () => {
    const file = pngOf(50, 30);
    const [one, two, three] = await Promise.all([codec.draw(file), codec.draw(bytes('no image')), codec.draw(file)]);
    expect(one).toEqual(await drawImage(file));
    expect([two, three]).toEqual(['IMAGE_FORMAT', one]);
  });

  test('T66 more than can wait are refused, and those that wait are drawn', async () => {
    const drawn = await Promise.all(Array.from({ length: 30 }, (_, at) => codec.draw(pngOf(10 + at))));
    expect(drawn.filter((each) => each === 'IMAGE_BUSY')).toHaveLength(5);
    expect(drawn.filter((each) => typeof each === 'object')).toHaveLength(25);
  });

  test('T42 a process that is silent, ends or says something else is given up, and the next one draws', async () => {
    for (const script of ['setInterval(() => {}, 1000)', 'process.exit(3)', 'console.log("hello".repeat(9999))']) {
      const broken = createImageCodec({ command: [process.execPath, '-e', script], limitMs: 200 });
      expect([script, await broken.draw(pngOf(10))]).toEqual([script, 'IMAGE_FORMAT']);
      broken.stop();
    }
  });
});

test('T42 a process that holds more memory than it may ends itself, and one that holds less draws until its input ends', async () => {
  const start = (rssMax: string) =>
    Bun.spawn(
      [process.execPath, '-e', `process.exit(await (await import('./codec-process.ts')).runCodec(${rssMax}))`],
      {
        cwd: import.meta.dir,
        stdin: 'pipe',
      },
    );
  // Nobody sends it anything or ends its input.
  expect(await start('1').exited).toBe(1);
  const good = start('Infinity');
  await good.stdin.end();
  expect(await good.exited).toBe(0);
});

test('messages arrive whole however they are cut, and none that is too long', async () => {
  const sent = Buffer.concat([toFrame(bytes('one')), toFrame(new Uint8Array()), toFrame(bytes('three'))]);
  async function* pieces(size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < sent.length; at += size) yield sent.subarray(at, at + size);
  }
  for (const size of [1, 3, 7, 100]) {
    const read: string[] = [];
    for await (const frame of readFrames(pieces(size), 10)) read.push(new TextDecoder().decode(frame));
    expect([size, read]).toEqual([size, ['one', '', 'three']]);
  }
  expect(readFrames(pieces(7), 4).next()).resolves.toMatchObject({ done: false });
  const tooLong = async () => {
    for await (const frame of readFrames(pieces(7), 4)) expect(frame.byteLength).toBeLessThan(5);
  };
  expect(tooLong()).rejects.toThrow(RangeError);
});
