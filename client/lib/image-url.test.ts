import { afterEach, beforeEach, expect, spyOn, test, type Mock } from 'bun:test';
import { imageUrl } from './image-url.ts';

let warn: Mock<typeof console.warn>;
beforeEach(() => {
  warn = spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => warn.mockRestore());

test('S5.11 an address that does not parse is dropped with a warning', () => {
  expect(imageUrl('https://', 'https://panel.example/')).toBeNull();
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('dropped'), 'https://');
});

test.each([
  ['http://[::1'],
  [''],
  ['   '],
  ['https://exa mple/x.png'],
  ['javascript:alert(1)'],
  ['data:text/html,<script>'],
  ['file:///etc/passwd'],
])('S5.11 the address %s is no picture’s, and is dropped with a warning', (source) => {
  expect(imageUrl(source, 'https://panel.example/')).toBeNull();
  expect(warn).toHaveBeenCalledTimes(1);
});
test.each([
  ['https://example.com/a.png'],
  ['/a.png'],
  ['a.png'],
  ['data:image/png;base64,AAAA'],
  ['blob:https://panel.example/1'],
])('the address %s is a picture’s', (source) => {
  expect(imageUrl(source, 'https://panel.example/')).not.toBeNull();
  expect(warn).not.toHaveBeenCalled();
});
