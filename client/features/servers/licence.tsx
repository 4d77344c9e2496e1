import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';

/** Where Mojang has the licence that every Minecraft server asks for. */
const EULA = 'https://aka.ms/MinecraftEULA';

/** What a server waits for before its first start: its owner's word that they accept the game's licence. */
export function LicenceQuestion(): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const { session } = useShell();
  const fetcher = useFetcher<FormResult<unknown>>();
  const refused = fetcher.state === 'idle' && fetcher.data?.ok === false ? fetcher.data.code : null;
  const isAccepted = fetcher.state !== 'idle' || fetcher.data?.ok === true;
  return (
    <Banner tone="accent" live>
      <p>{t('licence.text')}</p>
      <p>
        <a className="sp-link" href={EULA} target="_blank" rel="noopener noreferrer">
          {t('licence.read')} <span className="sp-sr">({t('newTab')})</span>
        </a>
      </p>
      {session.viewing === undefined && (
        <fetcher.Form method="post">
          <input type="hidden" name="_intent" value="licence" />
          <div className="sp-btn-row">
            <Button type="submit" variant="primary" busy={isAccepted}>
              {t('licence.accept')}
            </Button>
          </div>
        </fetcher.Form>
      )}
      {refused !== null && (
        <p className="sp-field__error" role="alert">
          {errors.code(refused)}
        </p>
      )}
    </Banner>
  );
}
