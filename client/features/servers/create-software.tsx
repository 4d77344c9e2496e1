import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { FieldGroup } from '#client/ui/field.tsx';
import { OptionCard, OptionCards } from '#client/ui/option-card.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { eggValue, findShortage } from './create-form.ts';
import type { Category, Draft, Egg } from './create-form.ts';
import { FEW_SLOTS, VipBadge } from './create-location.tsx';
import { EggBlock, amountText } from './parts.tsx';
import type { Meters } from './parts.tsx';
import { pictureSrcSet, pictureUrl } from '#shared/picture-url.ts';
import { SupportLinks } from '#client/ui/support-links.tsx';

interface SoftwareProps {
  draft: Draft;
  categories: readonly Category[];
  meters: Meters;
  onEgg: (value: string) => void;
}

/**
 * Second step: the software. Every egg is in the page, grouped by category; the category tabs show one group at a time
 * by CSS alone (`servers.css`), so they work without scripts; without CSS support all groups show.
 */
export function SoftwareStep({ draft, categories, meters, onEgg }: SoftwareProps): ReactNode {
  const t = useT('servers');
  if (categories.length === 0)
    return (
      <p className="sp-lead">
        {t('noSoftware')} <SupportLinks />
      </p>
    );
  const at = categories.findIndex(({ id }) => draft.egg.startsWith(`${id}.`));
  return (
    <FieldGroup label={t('software')} name="egg" hideLabel>
      <div className="sp-eggs" data-tabs={categories.length > 1 || undefined}>
        {categories.length > 1 && (
          <div className="sp-eggs__tabs">
            <Segmented
              label={t('category')}
              name="_category"
              defaultValue={String(Math.max(0, at))}
              options={categories.map((category, index) => ({
                value: String(index),
                label: <Tab category={category} />,
              }))}
            />
          </div>
        )}
        {categories.map((category, index) => (
          <fieldset className="sp-eggs__group" data-category={index} key={category.id}>
            <legend className="sp-eggs__name">{category.name}</legend>
            <OptionCards columns={2}>
              {category.eggs.map((egg) => (
                <EggCard
                  key={egg.id}
                  egg={egg}
                  value={eggValue(category.id, egg.id)}
                  draft={draft}
                  meters={meters}
                  onChange={onEgg}
                />
              ))}
            </OptionCards>
          </fieldset>
        ))}
      </div>
    </FieldGroup>
  );
}

function Tab({ category }: { category: Category }): ReactNode {
  return (
    <>
      {category.picture !== '' && (
        <img
          className="sp-eggs__picture"
          src={pictureUrl(category.picture, 'small')}
          srcSet={pictureSrcSet(category.picture, 'category')}
          sizes="1.5rem"
          alt=""
        />
      )}
      {category.name} <span className="sp-meta">{category.eggs.length}</span>
    </>
  );
}

function EggCard(props: {
  egg: Egg;
  value: string;
  draft: Draft;
  meters: Meters;
  onChange: (value: string) => void;
}): ReactNode {
  const { egg, value, draft, meters, onChange } = props;
  const t = useT('servers');
  const format = useFormat();
  const short = egg.available ? findShortage(egg, meters) : null;
  const checked = draft.egg === value;
  const usable = egg.available && short === null;
  const from = t('from', { memory: format.memory(egg.min_memory) });
  return (
    <OptionCard
      name="egg"
      value={value}
      title={egg.name}
      text={joinSentences(egg.description, from)}
      picture={<EggBlock egg={egg} off={!usable} />}
      end={
        <EggBadge
          egg={egg}
          short={short && t(`short.${short.kind}`, { amount: amountText(short.kind, short.amount, format) })}
        />
      }
      disabled={!usable && !checked}
      checked={checked}
      onChange={onChange}
    />
  );
}

/** Joins two sentences; a description without a full stop is set apart. */
function joinSentences(description: string, from: string): string {
  if (description === '') return from;
  return /[.!?…]$/.test(description) ? `${description} ${from}` : `${description} · ${from}`;
}

/** Why it is unavailable; nothing if it is available. */
function EggBadge({ egg, short }: { egg: Egg; short: string | null }): ReactNode {
  const t = useT('servers');
  if (egg.vip_only) return <VipBadge />;
  if (!egg.available) return <Badge>{t(egg.reason === 'LOCATION_FULL' ? 'soldOut' : 'unavailable')}</Badge>;
  if (short !== null) return <Badge>{short}</Badge>;
  return egg.left !== undefined && egg.left <= FEW_SLOTS ? (
    <Badge tone="warning">{t('fewLeft', { count: egg.left })}</Badge>
  ) : null;
}
