import { createRoot } from 'react-dom/client';
import { BlockedOverlay } from '#client/features/system/blocked.tsx';
import { I18nProvider } from '#client/lib/i18n.tsx';
import type { AccessIssue } from '#shared/access.ts';
import type { Boot } from './boot.ts';
import { createTextStore } from './texts.ts';

/**
 * Replaces the page with the blocking overlay. The server refuses wrong addresses before it renders; this is for what a
 * proxy hides from the server, such as a port. Loaded only then.
 */
export async function showOverlay(
  boot: Pick<Boot, 'build' | 'locale' | 'timeZone'>,
  product: string,
  issues: readonly AccessIssue[],
): Promise<void> {
  const texts = createTextStore(boot.locale, boot.build);
  await texts.load(['system']);
  const container = document.createElement('div');
  document.body.replaceChildren(container);
  document.title = texts.translator().t('system')('blocked.title');
  createRoot(container).render(
    <I18nProvider translator={texts.translator()} timeZone={boot.timeZone}>
      <BlockedOverlay app={product} issues={issues} url={location.href} />
    </I18nProvider>,
  );
}
