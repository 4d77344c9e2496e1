import { afterEach, beforeEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/');
const { animate, isFrameDue } = await import('./frames.ts');
const { uiSettings } = await import('./ui-settings-store.ts');
const { waitFor } = await import('@testing-library/react');

const native = globalThis.requestAnimationFrame;
let waiting: FrameRequestCallback[] = [];
beforeEach(() => {
  waiting = [];
  globalThis.requestAnimationFrame = (callback) => waiting.push(callback);
});
afterEach(() => {
  globalThis.requestAnimationFrame = native;
  localStorage.clear();
});

/** Lets a screen of so many hertz run for a while. Out: the times at which the animation was drawn. */
function screenOf(hertz: number, forMs: number): number[] {
  const drawn: number[] = [];
  const stop = animate((now) => {
    drawn.push(now);
    return true;
  });
  for (let frame = 0; (frame * 1000) / hertz < forMs; frame += 1)
    for (const callback of waiting.splice(0)) callback((frame * 1000) / hertz);
  stop();
  return drawn;
}
async function limit(frameRateLimit: number) {
  uiSettings.update({ performance: { frameRateLimit } });
  await waitFor(() => expect(uiSettings.get().performance.frameRateLimit).toBe(frameRateLimit));
}

test('the limit holds on a faster screen, and costs nothing on a slower one', async () => {
  await limit(30);
  expect(screenOf(60, 1000)).toHaveLength(30);
  expect(screenOf(144, 1000).length).toBeLessThanOrEqual(30);
  await limit(75);
  expect(screenOf(60, 1000)).toHaveLength(60);
  await limit(144);
  expect(screenOf(144, 1000)).toHaveLength(144);
});

test('an animation ends when its step says so', () => {
  let steps = 0;
  animate(() => (steps += 1) < 3);
  for (let now = 0; now < 1000; now += 100) for (const callback of waiting.splice(0)) callback(now);
  expect(steps).toBe(3);
});

test('a frame that is slightly early counts', () => {
  expect(isFrameDue(1000 / 60 - 0.5, 60)).toBe(true);
  expect(isFrameDue(1000 / 144, 60)).toBe(false);
});
