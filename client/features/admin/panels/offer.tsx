import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { OfferChange, OfferView } from '#shared/contract/panels.ts';
import { offerKey } from './query.ts';

/** An offer that opens its details: what it is, what changed, and its actions. Works without scripts. */
export function OfferDetails({ offer }: { offer: OfferView }): ReactNode {
  const t = useT('panels');
  const format = useFormat();
  const { changes, left } = offer;
  return (
    <details className="sp-why">
      <summary>
        <Icon name="chevron-right" size="sm" />
        {offer.name}
        {changes.some(({ own }) => own) && <Badge tone="warning">{t('ownBadge')}</Badge>}
      </summary>
      <div className="sp-why__text">
        {offer.description !== '' && <p>{offer.description}</p>}
        {changes.length > 0 && (
          <ul className="sp-panel-changes">
            {changes.map((change) => (
              <li key={`${change.part} ${change.subject ?? ''}`}>
                <Change change={change} />
              </li>
            ))}
          </ul>
        )}
        {left.length > 0 && (
          <>
            <p>{t('panelRulesText')}</p>
            <ul className="sp-panel-changes">
              {left.map(({ env, rule }) => (
                <li key={`${env} ${rule}`}>
                  <code>{env}</code> <code>{rule}</code>
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="sp-muted sp-small">
          {offer.vanished_at === null
            ? t('firstSeen', { date: format.dateTime(offer.first_at) })
            : t('vanishedAt', { date: format.dateTime(offer.vanished_at) })}
        </p>
        <OfferAction offer={offer} />
      </div>
    </details>
  );
}

/** A change: its value when it was imported, and now. */
function Change({ change: { part, kind, subject, before, after, own } }: { change: OfferChange }): ReactNode {
  const t = useT('panels');
  return (
    <>
      <b>{t(`change.${part}`)}</b> {subject !== null && <code>{subject}</code>}{' '}
      {kind !== 'changed' && t(`changeKind.${kind}`)}
      {own && <span className="sp-muted"> {t('ownText')}</span>}
      {before !== null && (
        <pre className="sp-panel-diff" data-kind="before" aria-label={t('before')}>
          {before}
        </pre>
      )}
      {after !== null && (
        <pre className="sp-panel-diff" data-kind="after" aria-label={t('after')}>
          {after}
        </pre>
      )}
    </>
  );
}

/** The button that imports the offer, or turns off what vanished. */
function OfferAction({ offer }: { offer: OfferView }): ReactNode {
  const t = useT('panels');
  const { state, ours, name } = offer;
  if (state === 'current' || (state === 'vanished' && !ours?.on)) return null;
  const gone = state === 'vanished';
  const what = t(gone ? 'turnOff' : state === 'changed' ? 'importChanges' : 'import');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="_intent" value={gone ? 'turnOff' : 'import'} />
      <input type="hidden" name="offer" value={offerKey(offer)} />
      <Button
        type="submit"
        size="sm"
        {...(gone ? { variant: 'danger-quiet' as const, icon: 'power' as const } : { icon: 'download' as const })}
        aria-label={t('named', { what, name })}
      >
        {what}
      </Button>
    </Form>
  );
}
