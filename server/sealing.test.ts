import { expect, test } from 'bun:test';
import { createSealer } from './sealing.ts';

const KEY = new Uint8Array(32).fill(7);
const sealer = createSealer(KEY);

test('what is sealed opens with the same key, in the same place, and is different each time', () => {
  for (const text of ['', 'x', 'a client secret', 'ünïcode \u{1F511}\n', 'x'.repeat(20_000)]) {
    const sealed = sealer.seal('settings', 'k', text);
    expect(createSealer(KEY).open('settings', 'k', sealed)).toEqual({ text });
    expect(sealer.seal('settings', 'k', text)).not.toBe(sealed);
    expect(sealed.slice(0, 9)).toBe('sealed:1:');
    if (text.length > 4) expect(sealed).not.toContain(text);
  }
});

test('T50 a sealed text opens neither for another purpose, nor in another place, nor with another key', () => {
  const sealed = sealer.seal('settings', 'discord_client_secret', 'secret');
  expect(sealer.open('settings', 'stripe_secret_key', sealed)).toEqual({ fault: 'damaged' });
  expect(sealer.open('identities', 'discord_client_secret', sealed)).toEqual({ fault: 'foreign_key' });
  expect(createSealer(new Uint8Array(32).fill(8)).open('settings', 'discord_client_secret', sealed)).toEqual({
    fault: 'foreign_key',
  });
});

test('T50 each changed character is noticed', () => {
  const sealed = sealer.seal('settings', 'k', 'secret');
  const from = sealed.lastIndexOf(':') + 1;
  for (let at = from; at < sealed.length - 1; at += 1) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    expect(sealer.open('settings', 'k', sealed.slice(0, at) + other + sealed.slice(at + 1))).toEqual({
      fault: 'damaged',
    });
  }
  expect(sealer.open('settings', 'k', sealed.slice(0, from + 20))).toEqual({ fault: 'damaged' });
  for (const text of ['', 'secret', 'sealed:2:abc:def', 'sealed:1::', `${sealed}!`])
    expect(sealer.open('settings', 'k', text)).toEqual({ fault: 'not_sealed' });
});
