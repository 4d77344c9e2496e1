import { expect, test } from 'bun:test';
import { FLAGS, type Flags } from '#shared/flags.ts';
import { SETTINGS } from '#shared/settings.ts';
import { installDom } from '#tests/support/dom.ts';
import type { DebugHost } from './toggle.ts';

await installDom('https://panel.example/');
const { fireEvent } = await import('@testing-library/react');
const { canDebug, hasDebugPanel, startDebug, toggleDebugPanel } = await import('./toggle.ts');

test('T50 a setting that visitors see disables the panel: neither Ctrl+I nor a menu entry opens it', async () => {
  expect([SETTINGS.debug_panel_enabled.default, SETTINGS.debug_panel_enabled.public]).toEqual([true, true]);
  expect([
    hasDebugPanel({}),
    hasDebugPanel({ debug_panel_enabled: true }),
    hasDebugPanel({ debug_panel_enabled: false }),
  ]).toEqual([true, true, false]);
  let asked = 0;
  const host: DebugHost = {
    boot: {
      build: 'b1',
      timeZone: 'UTC',
      requestId: 'r-0',
      settings: { debug_panel_enabled: false },
      flags: Object.fromEntries(FLAGS.map((flag) => [flag, true])) as Flags,
      debug: {
        debug_debug: false,
        debug_version: '',
        debug_os: '',
        debug_os_kernel: '',
        debug_name: '',
        debug_telemetry: false,
        debug: { useRedis: null, rateLimit: { enabled: true, limit: 300 } },
      },
    },
    stores: {
      subscribe: () => () => undefined,
      session: () => null,
      translator: () => {
        throw new Error('nobody asks');
      },
      theme: () => 'dark',
    },
    texts: { load: async () => void (asked += 1) },
  };
  startDebug(host);
  expect(canDebug()).toBe(false);
  // The key is left to whoever else wants it.
  expect(fireEvent.keyDown(window, { key: 'i', ctrlKey: true })).toBe(true);
  toggleDebugPanel();
  const { togglePanel } = await import('./mount.tsx');
  expect([asked, document.querySelector('.sp-debug'), typeof togglePanel]).toEqual([0, null, 'function']);
});
