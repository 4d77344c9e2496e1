import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/staff-href.ts';
import type { SetupData } from './screen.tsx';
import { SkipButton } from './skip-button.tsx';

const PLAIN = { mono: true, autoComplete: 'off', spellCheck: false, autoCapitalize: 'none', maxLength: 300 } as const;

/** Connects a panel, or takes the one inside. */
export function PanelStep({ data }: { data: SetupData }): ReactNode {
  const t = useT('setup');
  const [panel] = data.panels;
  if (panel) {
    return (
      <>
        <p>
          {t('panelOf', { name: panel.name })}{' '}
          <TextLink to={href('admin.panels.edit', { id: panel.id })}>{t('panelMore')}</TextLink>
        </p>
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="check" variant="primary">
            {t('action.checkPanel')}
          </Button>
          <SkipButton />
        </div>
      </>
    );
  }
  return (
    <>
      <div className="sp-fields">
        <Field label={t('panelUrl')} name="url" hint={t('panelUrlHint')}>
          <TextInput {...PLAIN} inputMode="url" />
        </Field>
        <Field label={t('panelKey')} name="key" hint={t('panelKeyHint')}>
          <TextInput {...PLAIN} type="password" />
        </Field>
        <Field label={t('panelClientKey')} name="client_key" optional hint={t('panelClientKeyHint')}>
          <TextInput {...PLAIN} type="password" />
        </Field>
      </div>
      <div className="sp-btn-row">
        <Button type="submit" name="_intent" value="connect" variant="primary">
          {t('action.connect')}
        </Button>
        {data.built_in && (
          <Button type="submit" name="_intent" value="check">
            {t('action.builtIn')}
          </Button>
        )}
        <SkipButton />
      </div>
    </>
  );
}

/** Fills the catalogue from a panel, with samples, or by hand. */
export function CatalogueStep({ data }: { data: SetupData }): ReactNode {
  const t = useT('setup');
  const reading = data.panels.some(({ syncing }) => syncing);
  const offered = data.panels.some(({ news }) => news.fresh > 0);
  const sample = data.catalogue_empty && data.panels.length === 0 && data.built_in;
  return (
    <>
      {reading && <Banner live>{t('reading')}</Banner>}
      {offered && <p>{t('importText')}</p>}
      {sample && <p>{t('sampleText')}</p>}
      <div className="sp-btn-row">
        {offered && (
          <Button type="submit" name="_intent" value="import" variant="primary" icon="download">
            {t('action.import')}
          </Button>
        )}
        {sample && (
          <Button type="submit" name="_intent" value="sample" variant="primary" icon="plus">
            {t('action.sample')}
          </Button>
        )}
        <Button
          type="submit"
          name="_intent"
          value="check"
          {...(offered || sample ? {} : { variant: 'primary' as const })}
        >
          {t('action.checkCatalogue')}
        </Button>
        <SkipButton />
      </div>
      <div className="sp-btn-row">
        <span className="sp-muted sp-small">{t('ownLinks')}</span>
        {(
          [
            ['location', 'admin.locations.create'],
            ['category', 'admin.eggCategories.create'],
            ['egg', 'admin.eggs.create'],
          ] as const
        ).map(([text, route]) => (
          <LinkButton key={route} to={href(route)} size="sm" icon="plus">
            {t(text)}
          </LinkButton>
        ))}
      </div>
    </>
  );
}
