import { afterEach, describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/plugin/hats');
const { act, cleanup, render, screen, waitFor } = await import('@testing-library/react');
const { PluginContext } = await import('#client/lib/plugins.ts');
const { createStore } = await import('#client/lib/store.ts');
const { PluginPanels, usePluginTabs } = await import('#client/ui/plugin-part.tsx');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { I18nProvider, createTranslator } = await import('#client/lib/i18n.tsx');
const { serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const { default: hats } = await import('#tests/support/plugin-hats.ts');
const { loadPlugins } = await import('./plugins.ts');
const { PLAYER_ROUTE_LIST } = await import('#shared/routes/players.ts');
const { useNavigationGroups } = await import('./layouts/navigation.ts');
const { default: PluginScreen } = await import('#client/features/system/plugin-page.tsx');
const { clientModulePath } = await import('#shared/client-module-path.ts');
import type { ReactNode } from 'react';
import type { Plugin, PluginParts, PluginRegistry } from '#client/lib/plugins.ts';

afterEach(cleanup);

/** Sets plugins up as the start of a page does; modules by address. */
async function setUp(modules: Readonly<Record<string, unknown>>) {
  const registry = createStore<readonly PluginParts[]>([]);
  const faults: string[] = [];
  const load = async (url: string) => {
    if (!(url in modules)) throw new Error('not found');
    return modules[url];
  };
  const working = await loadPlugins(Object.keys({ ...modules }), registry, {
    load,
    wait: never,
    reportError: (text, error) => void faults.push(`${text}: ${(error as Error).message}`),
  });
  return { registry, faults, working };
}
/** Nobody's patience ends. */
const never = () => new Promise<never>(() => {});
const plugin = (id: string, setup: Plugin['setup'] = () => undefined) => ({ default: { id, setup } satisfies Plugin });

function Frame({
  registry,
  locale = 'en',
  children,
}: {
  registry: PluginRegistry | null;
  locale?: 'en' | 'de';
  children: ReactNode;
}): ReactNode {
  return (
    <I18nProvider translator={createTranslator(createI18n(locale, {}), locale)} timeZone="UTC">
      <PluginContext value={registry}>{children}</PluginContext>
    </I18nProvider>
  );
}

describe('the registry of plugins', () => {
  test('S4.14 S8.9 a plugin that cannot be loaded or set up is logged and left out, and the others work', async () => {
    const registry = createStore<readonly PluginParts[]>([]);
    const faults: string[] = [];
    const modules: Record<string, unknown> = {
      '/a.js': plugin('a', (host) => host.addPage('', { title: 'A', mount: () => undefined })),
      '/b.js': plugin('b', (host) => {
        host.addPage('', { title: 'B', mount: () => undefined });
        throw new Error('b broke');
      }),
      '/c.js': {},
      '/d.js': plugin('Not An Id'),
      '/e.js': plugin('a'),
      '/f.js': plugin('f', (host) => host.addMenuEntry({ label: 'x', page: 'nowhere', group: 'play' })),
      '/g.js': plugin('g', async () => {
        throw new Error('g broke later');
      }),
      '/i.js': plugin('i', (host) =>
        host.addPanel('everywhere' as 'dashboard.side', { id: 'x', title: 'x', mount: () => undefined }),
      ),
    };
    const urls = [...Object.keys(modules), '/h.js'];
    const load = async (url: string) => modules[url] ?? Promise.reject(new Error('status 404'));
    expect(
      await loadPlugins(urls, registry, {
        load,
        wait: never,
        reportError: (text, error) => void faults.push(`${text}: ${(error as Error).message}`),
      }),
    ).toBe(1);
    expect(registry.get().map(({ id }) => id)).toEqual(['a']);
    expect(faults.toSorted()).toEqual([
      'plugin /b.js failed: b broke',
      'plugin /c.js failed: the module exports no plugin',
      'plugin /d.js failed: the module exports no plugin',
      'plugin /e.js failed: there is another plugin a',
      'plugin /f.js failed: the menu leads to a page that is not there: "nowhere"',
      'plugin /g.js failed: g broke later',
      'plugin /h.js failed: status 404',
      'plugin /i.js failed: there is no place everywhere for panels',
    ]);
  });

  test('a plugin that never loads, or never gets ready, keeps out no other, and is reported once its time is over', async () => {
    const registry = createStore<readonly PluginParts[]>([]);
    const faults: string[] = [];
    const { promise: patience, resolve: endPatience } = Promise.withResolvers<void>();
    const { promise: slow, resolve: endSlow } = Promise.withResolvers<unknown>();
    const modules: Record<string, unknown> = {
      '/hangs.js': never(),
      '/slow.js': slow,
      '/unready.js': plugin('unready', never),
      '/quick.js': plugin('quick'),
    };
    const loading = loadPlugins(Object.keys(modules), registry, {
      load: async (url) => modules[url],
      wait: () => patience,
      reportError: (text, error) => void faults.push(`${text}: ${(error as Error).message}`),
    });
    await waitFor(() => expect(registry.get().map(({ id }) => id)).toEqual(['quick']));
    endSlow(plugin('slow'));
    await waitFor(() => expect(registry.get().map(({ id }) => id)).toEqual(['slow', 'quick']));
    expect(faults).toEqual([]);
    endPatience();
    expect(await loading).toBe(2);
    expect(faults).toEqual([
      'plugin /hangs.js failed: it was not ready within 15 seconds',
      'plugin /unready.js failed: it was not ready within 15 seconds',
    ]);
  });

  test('a package’s module that calls itself something else is reported and left out', async () => {
    const { registry, faults } = await setUp({
      [clientModulePath('hats', '1')]: { default: hats },
      [clientModulePath('shoes', '1')]: plugin('status'),
    });
    expect(registry.get().map(({ id }) => id)).toEqual(['hats']);
    expect(faults).toEqual([
      'plugin /api/system/plugins/shoes/client.js?v=1 failed: the module of shoes calls itself status',
    ]);
  });

  test('texts in a language that the product does not have are left out, and those of a language add up', async () => {
    const { registry, faults } = await setUp({
      x: plugin('words', (host) => {
        host.addTexts({ en: { one: 'One' }, tlh: { one: 'wa’' }, ['__proto__']: { one: '' } } as object);
        host.addTexts({ en: { two: 'Two' } });
        for (const title of ['one', 'two'])
          host.addPanel('dashboard.side', { id: title, title, mount: () => undefined });
      }),
    });
    expect(faults).toEqual([]);
    render(
      <Frame registry={registry}>
        <PluginPanels slot="dashboard.side" />
      </Frame>,
    );
    expect(screen.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['One', 'Two']);
  });

  test('the example adds an entry of the menu, panels, pages and texts', async () => {
    const { registry, working, faults } = await setUp({ '/plugins/hats.js': { default: hats } });
    expect([working, faults]).toEqual([1, []]);
    const [parts] = registry.get();
    expect(parts?.menu).toEqual([{ label: 'menu', page: '', group: 'community', icon: 'crown' }]);
    expect(parts?.panels.map(({ slot, id }) => [slot, id])).toEqual([
      ['dashboard.side', 'today'],
      ['account.tab', 'mine'],
    ]);
    expect([...(parts?.pages.keys() ?? [])]).toEqual(['', 'shop/new']);
    expect(parts?.commands.map(({ id, label }) => [id, label])).toEqual([['wear', 'today']]);
  });
});

describe('what plugins add', () => {
  test('a panel is drawn in the language of the page, and taken away again', async () => {
    const { registry } = await setUp({ x: { default: hats } });
    const { container, rerender } = render(
      <Frame registry={registry} locale="de">
        <PluginPanels slot="dashboard.side" />
      </Frame>,
    );
    expect(screen.getByRole('heading', { name: 'Hut des Tages' })).toBeTruthy();
    expect(container.querySelector('.sp-plugin')?.textContent).toBe('Zylinder');
    rerender(
      <Frame registry={null} locale="de">
        <PluginPanels slot="dashboard.side" />
      </Frame>,
    );
    expect(container.textContent).toBe('');
  });

  test('no plugin is drawn where there are none, or while the page is still the server’s', async () => {
    const { registry } = await setUp({ x: { default: hats } });
    const { container } = render(
      <Frame registry={null}>
        <PluginPanels slot="dashboard.side" />
      </Frame>,
    );
    expect(container.innerHTML).toBe('');
    const panels = () => (
      <PluginContext value={registry}>
        <PluginPanels slot="dashboard.side" />
      </PluginContext>
    );
    expect(serverHtml({ default: panels }, { url: '/dashboard' }, null)).not.toContain('sp-plugin');
  });

  test('a plugin that comes late appears when it comes', async () => {
    const { registry } = await setUp({ x: { default: hats } });
    const [parts] = registry.get();
    const late = createStore<readonly PluginParts[]>([]);
    render(
      <Frame registry={late}>
        <PluginPanels slot="dashboard.side" />
      </Frame>,
    );
    expect(screen.queryByRole('heading')).toBeNull();
    await act(async () => {
      if (parts) late.set([parts]);
    });
    expect(screen.getByRole('heading', { name: 'Hat of the day' })).toBeTruthy();
  });

  test('a part that throws is reported; what stands beside it stays', async () => {
    const reported: unknown[] = [];
    const native = globalThis.reportError;
    globalThis.reportError = (error: unknown) => void reported.push(error);
    const { registry } = await setUp({
      x: plugin('bad', (host) =>
        host.addPanel('dashboard.side', {
          id: 'x',
          title: 'Bad',
          mount: () => {
            throw new Error('drawn badly');
          },
        }),
      ),
      y: { default: hats },
    });
    const { container } = render(
      <Frame registry={registry}>
        <PluginPanels slot="dashboard.side" />
      </Frame>,
    );
    globalThis.reportError = native;
    expect(reported.map(String)).toEqual(['Error: drawn badly']);
    expect(container.querySelectorAll('.sp-card')).toHaveLength(2);
    expect(container.textContent).toContain('Top hat');
  });

  test('the tab of the account page has an address of its own', async () => {
    const { registry } = await setUp({ x: { default: hats } });
    function Tabs(): ReactNode {
      return usePluginTabs().map(({ id, title, content }) => (
        <div key={id} id={id}>
          {title} {content}
        </div>
      ));
    }
    const { container } = render(
      <Frame registry={registry}>
        <Tabs />
      </Frame>,
    );
    expect(container.querySelector('[id="hats.mine"]')?.textContent).toBe('My hats none yet');
  });

  test('an entry of the navigation leads to the plugin’s page', async () => {
    const { registry } = await setUp({ x: { default: hats } });
    function Menu(): ReactNode {
      return useNavigationGroups(PLAYER_ROUTE_LIST, 'app', ['play', 'community'])
        .flatMap(({ items }) => items)
        .map(({ id, to, icon, label }) => (
          <a key={id} href={to} data-icon={icon}>
            {label}
          </a>
        ));
    }
    showScreen(
      {
        default: () => (
          <PluginContext value={registry}>
            <Menu />
          </PluginContext>
        ),
      },
      { url: '/here' },
    );
    const link = await screen.findByRole('link', { name: 'Hats' });
    expect([link.getAttribute('href'), link.dataset.icon]).toEqual(['/plugin/hats', 'crown']);
  });

  test('a plugin’s pages are drawn under /plugin/<id>, and others are not found', async () => {
    const { registry } = await setUp({ x: { default: hats } });
    const at = (path: string) => {
      cleanup();
      showScreen(
        {
          default: () => (
            <PluginContext value={registry}>
              <PluginScreen />
            </PluginContext>
          ),
        },
        { url: path, path: '/plugin/:id/*' },
      );
    };
    at('/plugin/hats/shop/new/');
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('New hats');
    expect(screen.getByText('page shop/new, 1,200 hats of Mirela')).toBeTruthy();
    at('/plugin/hats/elsewhere');
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('Nothing is built here');
    at('/plugin/shoes');
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('Nothing is built here');
  });
});
