import { expect, test } from 'bun:test';
import { createDialogs } from './dialogs.ts';

test('each way to close gives its answer', async () => {
  const dialogs = createDialogs();
  const confirm = dialogs.confirm({ title: 'Delete?' });
  dialogs.current()?.end({ by: 'ok', text: '' });
  expect(await confirm).toBe(true);
  const refuse = dialogs.confirm({ title: 'Delete?' });
  dialogs.current()?.end({ by: 'cancel' });
  expect(await refuse).toBe(false);
  const choose = dialogs.choose({ title: 'Save?' });
  dialogs.current()?.end({ by: 'no' });
  expect(await choose).toBe('no');
  const prompt = dialogs.prompt({ title: 'Name', label: 'Name' });
  dialogs.current()?.end({ by: 'ok', text: 'Skyhold' });
  expect(await prompt).toBe('Skyhold');
  const nothing = dialogs.prompt({ title: 'Name', label: 'Name' });
  dialogs.current()?.end({ by: 'cancel' });
  expect(await nothing).toBeNull();
});

test('dialogs wait for one another, and a second answer changes nothing', async () => {
  const dialogs = createDialogs();
  const order: string[] = [];
  const first = dialogs.alert({ title: 'one' }).then(() => order.push('one'));
  const second = dialogs.confirm({ title: 'two' }).then((yes) => order.push(`two ${yes}`));
  const shown = dialogs.current();
  expect(shown?.options.title).toBe('one');
  shown?.end({ by: 'cancel' });
  shown?.end({ by: 'cancel' });
  await first;
  expect(dialogs.current()?.options.title).toBe('two');
  dialogs.current()?.end({ by: 'ok', text: '' });
  await second;
  expect(order).toEqual(['one', 'two true']);
  expect(dialogs.current()).toBeNull();
});

test('listeners hear of each change until they leave', () => {
  const dialogs = createDialogs();
  let heard = 0;
  const leave = dialogs.subscribe(() => heard++);
  void dialogs.alert({ title: 'one' });
  dialogs.current()?.end({ by: 'cancel' });
  expect(heard).toBe(2);
  leave();
  void dialogs.alert({ title: 'two' });
  expect(heard).toBe(2);
});
