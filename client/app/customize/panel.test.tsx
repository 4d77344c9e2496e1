import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import customize from '#locales/en/customize.json';
import ui from '#locales/en/ui.json';
import { UI_DEFAULTS } from '#shared/ui-settings.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/dashboard');
const { cleanup, fireEvent, render, screen, waitFor, within } = await import('@testing-library/react');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { createTranslator, I18nProvider } = await import('#client/lib/i18n.tsx');
const { TextLoaderContext } = await import('#client/lib/text-loader.ts');
const { uiSettings } = await import('#client/lib/ui-settings-store.ts');
const { DialogHost } = await import('#client/ui/dialog-host.tsx');
const { CustomizeButton } = await import('./button.tsx');
const { readSettingsFile, writeSettingsFile } = await import('./file.ts');
uiSettings.get();

let loaded: string[] = [];
beforeEach(async () => {
  loaded = [];
  uiSettings.reset();
  await waitFor(() => expect([uiSettings.get(), uiSettings.transition()]).toEqual([UI_DEFAULTS, 'fade']));
});
afterEach(cleanup);

const NAME = 'UI Customization';
const button = () => screen.getByRole('button', { name: NAME });
async function open(): Promise<HTMLElement> {
  const translator = createTranslator(createI18n('en', { en: { ui, customize } }), 'en');
  render(
    <I18nProvider translator={translator} timeZone="UTC">
      <TextLoaderContext value={async (namespaces) => void loaded.push(...namespaces)}>
        <CustomizeButton />
        <DialogHost />
      </TextLoaderContext>
    </I18nProvider>,
  );
  fireEvent.click(button());
  return screen.findByRole('dialog', { name: NAME });
}
const tab = (name: string) => fireEvent.click(screen.getByRole('tab', { name }));
const becomes = (read: () => unknown, value: unknown) => waitFor(() => expect(read()).toEqual(value));

describe('the panel', () => {
  test('S2.14 the floating button opens the panel with the tabs Transitions, UI Components, Performance', async () => {
    const dialog = await open();
    expect(
      within(dialog)
        .getAllByRole('tab')
        .map((each) => each.textContent),
    ).toEqual(['Transitions', 'UI Components', 'Performance']);
    expect(loaded).toContain('customize');
  });
  test('S4.10 the panel opens and closes, and the active tab is chosen by click', async () => {
    const dialog = await open();
    expect(screen.getByRole('tab', { name: 'Transitions' }).getAttribute('aria-selected')).toBe('true');
    tab('Performance');
    expect(screen.getByRole('tab', { name: 'Performance' }).getAttribute('aria-selected')).toBe('true');
    expect(screen.getByRole('tab', { name: 'Transitions' }).getAttribute('aria-selected')).toBe('false');
    expect(within(dialog).getByRole('switch', { name: 'Caching' })).toBeTruthy();
    fireEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(dialog.hasAttribute('open')).toBe(false));
    fireEvent.click(button());
    await waitFor(() => expect(dialog.hasAttribute('open')).toBe(true));
  });
  test('arrow keys, Home and End move between the tabs', async () => {
    await open();
    const list = screen.getByRole('tablist');
    const chosen = () => within(list).getByRole('tab', { selected: true }).textContent;
    for (const [key, name] of [
      ['ArrowRight', 'UI Components'],
      ['End', 'Performance'],
      ['ArrowRight', 'Transitions'],
      ['ArrowLeft', 'Performance'],
      ['Home', 'Transitions'],
    ] as const) {
      fireEvent.keyDown(list, { key });
      expect(chosen()).toBe(name);
      expect(document.activeElement?.textContent).toBe(name);
    }
  });
});

describe('what it changes', () => {
  test('S4.11 each of the eight page transitions is kept under preferredTransition', async () => {
    await open();
    const kinds = within(screen.getByRole('group', { name: 'Page transition' })).getAllByRole<HTMLInputElement>(
      'radio',
    );
    expect(kinds.map(({ value }) => value)).toEqual([
      'fade',
      'slide-right',
      'slide-left',
      'slide-up',
      'slide-down',
      'scale',
      'flip',
      'rotate',
    ]);
    expect(kinds.filter(({ checked }) => checked).map(({ value }) => value)).toEqual(['fade']);
    for (const kind of kinds.slice(1)) {
      fireEvent.click(kind);
      await becomes(() => uiSettings.transition(), kind.value);
      await waitFor(() =>
        expect(document.querySelector('.sp-cz__stage')?.getAttribute('data-transition')).toBe(kind.value),
      );
    }
    expect(localStorage.getItem('preferredTransition')).toBe('rotate');
  });
  test('S4.12 the component animations are chosen for all parts at once and for each', async () => {
    await open();
    const all = screen.getByRole('group', { name: 'Parts of a page' });
    expect(
      within(all)
        .getAllByRole<HTMLInputElement>('radio')
        .map(({ value }) => value),
    ).toEqual(['fade', 'slide', 'scale', 'bounce']);
    fireEvent.click(within(all).getByRole('radio', { name: 'Bounce' }));
    await becomes(
      () =>
        (['dropdown', 'sidebar', 'topNav', 'notifications'] as const).map((part) => uiSettings.get()[part].animation),
      ['bounce', 'bounce', 'bounce', 'bounce'],
    );
    expect(document.documentElement.style.getPropertyValue('--notifications-animation')).toBe('sp-part-bounce');
    tab('UI Components');
    fireEvent.click(screen.getByRole('radio', { name: 'Messages' }));
    fireEvent.click(screen.getByRole('radio', { name: 'Scale' }));
    await becomes(
      () => [uiSettings.get().notifications.animation, uiSettings.get().sidebar.animation],
      ['scale', 'bounce'],
    );
  });
  test('S9.10 the speed’s reciprocal is the duration: 4.5 makes 222 ms, 2 makes 500 ms', async () => {
    await open();
    expect(screen.getByText('Preview: fade in 222 ms')).toBeTruthy();
    fireEvent.change(screen.getByRole('spinbutton', { name: 'Speed' }), { target: { value: '2' } });
    expect(await screen.findByText('Preview: fade in 500 ms')).toBeTruthy();
    await becomes(() => document.documentElement.style.getPropertyValue('--speed'), '2');
  });
});

/** Every slider: its tab, its name, the ends it reaches and a step. */
const SLIDERS = [
  ['S5.7', 'UI Components', 'Background opacity', 0.1, 1, 0.15, () => uiSettings.get().dropdown.opacity],
  ['S5.8', 'UI Components', 'Zoom', 0.5, 1.5, 0.6, () => uiSettings.get().performance.zoom],
  ['S5.9', 'Transitions', 'Speed', 0.5, 5, 0.6, () => uiSettings.get().performance.transitionSpeed],
  ['S5.10', 'Performance', 'Frame rate limit', 30, 144, 45, () => uiSettings.get().performance.frameRateLimit],
] as const;
test.each(SLIDERS)(
  '%s %s: the slider %s reaches from %d to %d with the first step %d',
  async (_, on, name, least, greatest, second, read) => {
    await open();
    tab(on);
    const slider = screen.getByRole<HTMLInputElement>('slider', { name });
    const number = screen.getByRole<HTMLInputElement>('spinbutton', { name });
    const slide = (to: string) => {
      fireEvent.change(slider, { target: { value: to } });
      fireEvent.pointerUp(slider);
    };
    slide('0');
    await becomes(read, least);
    slide('1');
    await becomes(read, second);
    slide(slider.max);
    await becomes(read, greatest);
    await waitFor(() => expect(number.value).toBe(String(greatest)));
    fireEvent.change(number, { target: { value: String(greatest * 10) } });
    fireEvent.blur(number);
    expect(number.value).toBe(String(greatest));
    fireEvent.change(number, { target: { value: String(least) } });
    await becomes(read, least);
  },
);

describe('reset, export, import', () => {
  const put = (text: string) =>
    fireEvent.change(screen.getByLabelText('Settings file'), {
      target: { files: [new File([text], 'ui-settings.json')] },
    });
  test('reset asks, then brings every default back', async () => {
    uiSettings.replace({ performance: { zoom: 1.2 } }, 'flip');
    await open();
    fireEvent.click(screen.getByRole('button', { name: 'Reset' }));
    const question = await screen.findByRole('alertdialog', { name: 'Reset all settings?' });
    fireEvent.click(within(question).getByRole('button', { name: 'Reset' }));
    await becomes(() => [uiSettings.get(), uiSettings.transition()], [UI_DEFAULTS, 'fade']);
  });
  test('what is exported can be imported', async () => {
    const text = writeSettingsFile({ ...UI_DEFAULTS, performance: { ...UI_DEFAULTS.performance, zoom: 1.3 } }, 'scale');
    await open();
    put(text);
    expect(await screen.findByText('Settings imported')).toBeTruthy();
    await becomes(() => [uiSettings.get().performance.zoom, uiSettings.transition()], [1.3, 'scale']);
  });
  test('a wrong file says so and changes nothing', async () => {
    uiSettings.update({ performance: { zoom: 1.1 } });
    await open();
    put('{"hello":1}');
    expect(await screen.findByText(/This file contains no UI settings/)).toBeTruthy();
    await becomes(() => uiSettings.get().performance.zoom, 1.1);
  });
  test.each([
    ['not json'],
    ['null'],
    ['[]'],
    ['{"ui-settings":null}'],
    ['{"ui-settings":{"colour":1}}'],
    [`{"ui-settings":{"skin":{}},"x":"${'x'.repeat(70_000)}"}`],
  ])('the file of case %# is no settings file', (text) => {
    expect(readSettingsFile(text)).toBeNull();
  });
  test('values out of bounds are brought into them', () => {
    expect(readSettingsFile('{"ui-settings":{"performance":{"zoom":88}},"preferredTransition":"warp"}')).toMatchObject({
      settings: { performance: { zoom: 1.5 } },
      transition: 'fade',
    });
  });
});
