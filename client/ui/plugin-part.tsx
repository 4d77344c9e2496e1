import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { useLocale } from '#client/lib/i18n.tsx';
import {
  usePlugins,
  usePluginTexts,
  type PluginMount,
  type PluginParts,
  type PluginSlot,
} from '#client/lib/plugins.ts';

/** Runs a plugin's code and reports what it throws. */
function withReportedErrors<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    reportError(error);
    return undefined;
  }
}

/** An element that a plugin renders into. Its errors are reported; the rest of the page is not affected. */
export function PluginPart({
  plugin,
  mount,
  path = '',
}: {
  plugin: PluginParts;
  mount: PluginMount;
  path?: string;
}): ReactNode {
  const element = useRef<HTMLDivElement>(null);
  const locale = useLocale();
  const texts = useEffectEvent(usePluginTexts());
  // An effect, because a plugin renders outside React.
  useEffect(() => {
    const own = element.current;
    if (!own) return undefined;
    const end = withReportedErrors(() => mount(own, { locale, path, t: texts(plugin) }));
    return () => {
      if (end) withReportedErrors(end);
      own.replaceChildren();
    };
  }, [plugin, mount, path, locale]);
  return <div ref={element} className="sp-plugin" />;
}

/** A panel that a plugin added as a tab of a page. */
export interface PluginTab {
  /** In the address. */
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

/** The tabs that plugins added to the account page. */
export function usePluginTabs(): PluginTab[] {
  const texts = usePluginTexts();
  return usePlugins().flatMap((plugin) =>
    plugin.panels
      .filter((panel) => panel.slot === 'account.tab')
      .map(({ id, title, mount }) => ({
        id: `${plugin.id}.${id}`,
        title: texts(plugin)(title),
        content: (
          <section key={id} className="sp-card" aria-label={texts(plugin)(title)}>
            <div className="sp-card__body">
              <PluginPart plugin={plugin} mount={mount} />
            </div>
          </section>
        ),
      })),
  );
}

/** The panels that plugins added to a slot, each as a card; nothing if there are none. */
export function PluginPanels({ slot }: { slot: Exclude<PluginSlot, 'account.tab'> }): ReactNode {
  const texts = usePluginTexts();
  return usePlugins().flatMap((plugin) =>
    plugin.panels
      .filter((panel) => panel.slot === slot)
      .map((panel) => (
        <section key={`${plugin.id} ${panel.id}`} className="sp-card" aria-label={texts(plugin)(panel.title)}>
          <div className="sp-card__head">
            <h2 className="sp-card__title">{texts(plugin)(panel.title)}</h2>
          </div>
          <div className="sp-card__body">
            <PluginPart plugin={plugin} mount={panel.mount} />
          </div>
        </section>
      )),
  );
}
