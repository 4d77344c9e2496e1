import type { KeyOf } from '#shared/i18n/types.ts';
import type { Boot } from './boot.ts';

/**
 * The Application Error page (specification, sections 2, 4 and 8) instead of the page: plain elements without React,
 * because React may be what failed. The texts come with the page. In: the boot data, if there is any.
 */
export function showApplicationError(boot: Pick<Boot, 'startTexts'> | undefined, page: Document = document): void {
  const texts = boot?.startTexts ?? {};
  const startupText = (key: KeyOf<'startup'>) => texts[key] ?? '';
  const element = (tag: string, attributes: Readonly<Record<string, string>>, ...children: (Node | string)[]) => {
    const made = page.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };
  const refresh = element(
    'button',
    { type: 'button', class: 'sp-btn', 'data-variant': 'primary', 'data-size': 'lg' },
    startupText('refresh'),
  );
  refresh.addEventListener('click', () => page.defaultView?.location.reload());
  const heading = element('h1', { tabindex: '-1' }, startupText('applicationError'));
  const text = element('p', { role: 'alert' }, startupText('applicationErrorText'));
  page.title = startupText('applicationError');
  page.body.replaceChildren(element('main', { id: 'main', class: 'sp-fallback' }, heading, text, refresh));
  heading.focus();
}
