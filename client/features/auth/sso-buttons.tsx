import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { isIconName } from '#client/ui/icons.ts';
import type { SsoButton } from '#shared/contract/sso.ts';
import { href } from '#shared/routes/href.ts';

/** The services that can be signed in with, each a button; nothing where there is none. `alone`: nothing stands above. */
export function SsoButtons({
  providers,
  alone = false,
}: {
  providers: readonly SsoButton[];
  alone?: boolean;
}): ReactNode {
  const t = useT('sso');
  if (providers.length === 0) return null;
  return (
    <>
      {!alone && (
        <p className="sp-auth__or">
          <span>{t('or')}</span>
        </p>
      )}
      <Form action={href('auth.sso')} noSummary>
        <div className="sp-auth__sso">
          {providers.map(({ id, name, icon }) => (
            <Button
              key={id}
              type="submit"
              name="provider"
              value={id}
              size="lg"
              icon={isIconName(icon) ? icon : 'key'}
              block
            >
              <span className="sp-sr">{t('with')} </span>
              {name}
            </Button>
          ))}
        </div>
      </Form>
    </>
  );
}
