import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';

/** Where the host gives help: a page, an e-mail address, or both; nothing where it has entered neither. */
export function SupportLinks(): ReactNode {
  const t = useT('ui');
  const { settings } = useShell();
  const [url, email] = [String(settings.support_url ?? ''), String(settings.support_email ?? '')];
  if (url === '' && email === '') return null;
  return (
    <span className="sp-support">
      {url !== '' && (
        <a className="sp-link" href={url} target="_blank" rel="noopener noreferrer">
          {t('getHelp')}
        </a>
      )}
      {url !== '' && email !== '' && ' · '}
      {email !== '' && (
        <a className="sp-link" href={`mailto:${email}`}>
          {email}
        </a>
      )}
    </span>
  );
}
