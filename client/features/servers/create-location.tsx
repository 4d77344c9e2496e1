import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { OptionCard, OptionCards } from '#client/ui/option-card.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { toWaitRequest } from './create-form.ts';
import type { Draft, Location } from './create-form.ts';
import { WaitList } from './wait-list.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';

/** Up to this many free slots a location shows their number. */
export const FEW_SLOTS = 5;

/** Id of the waiting list's form, which its buttons refer to: they stand inside the page's own form. */
export const WAIT_FORM = 'wait-form';

interface LocationStepProps {
  draft: Draft;
  locations: readonly Location[];
  onName: (name: string) => void;
  onLocation: (id: string) => void;
}

/** First step: name, description, location. */
export function LocationStep({ draft, locations, onName, onLocation }: LocationStepProps): ReactNode {
  const t = useT('servers');
  return (
    <>
      <div className="sp-fields" data-columns="2">
        <Field label={t('name')} name="name" required counter={32}>
          <TextInput maxLength={32} autoComplete="off" onInput={(event) => onName(event.currentTarget.value)} />
        </Field>
        <Field label={t('description')} name="description" optional counter={255}>
          <TextInput maxLength={255} autoComplete="off" />
        </Field>
      </div>
      <FieldGroup label={t('location')} name="location_id">
        {locations.length === 0 ? (
          <p className="sp-lead">
            {t('noLocations')} <SupportLinks />
          </p>
        ) : (
          <OptionCards columns={2}>
            {locations.map((location) => (
              <LocationCard
                key={location.id}
                location={location}
                checked={draft.location === location.id}
                onChange={onLocation}
              />
            ))}
          </OptionCards>
        )}
      </FieldGroup>
      <SoldOut draft={draft} locations={locations} />
    </>
  );
}

/** Locations with a waiting list: those sold out for the draft, and those where the user waits already. */
function SoldOut({ draft, locations }: { draft: Draft; locations: readonly Location[] }): ReactNode {
  const t = useT('live');
  const lines = locations.filter((location) => location.reason === 'LOCATION_FULL' || location.wait !== null);
  if (lines.length === 0) return null;
  return (
    <section className="sp-waits" aria-labelledby="waits-title">
      <h3 className="sp-waits__title" id="waits-title">
        {t('soldOutTitle')}
      </h3>
      <p className="sp-lead">{t('soldOutText')}</p>
      <WaitList lines={lines} wanted={toWaitRequest(draft)} formId={WAIT_FORM} />
    </section>
  );
}

function LocationCard(props: { location: Location; checked: boolean; onChange: (id: string) => void }): ReactNode {
  const { location, checked, onChange } = props;
  const t = useT('servers');
  const free = t('slotsFree', { count: location.slots_free });
  const text = location.description || (location.reason === 'VIP_ONLY' ? t('vipOnly') : free);
  return (
    <OptionCard
      name="location_id"
      value={location.id}
      title={location.name}
      text={text}
      picture={
        <span className="sp-tile sp-place__code" aria-hidden="true">
          {location.code === '' ? <Icon name="pin" size="sm" /> : location.code.slice(0, 4)}
        </span>
      }
      end={<LocationBadge location={location} />}
      // A location that filled up after it was chosen stays chosen, so that the reason is visible.
      disabled={!location.available && !checked}
      checked={checked}
      onChange={onChange}
    />
  );
}

/** How many are left, or why it is unavailable. */
function LocationBadge({ location }: { location: Location }): ReactNode {
  const t = useT('servers');
  if (location.available) {
    if (location.vip_only) return <VipBadge />;
    if (location.slots_free <= FEW_SLOTS)
      return <Badge tone="warning">{t('fewLeft', { count: location.slots_free })}</Badge>;
    return <Badge tone="positive">{t('available')}</Badge>;
  }
  switch (location.reason) {
    case 'VIP_ONLY':
      return <VipBadge />;
    case 'LOCATION_FULL':
      return <Badge>{t('soldOut')}</Badge>;
    case 'LOCATION_UNAVAILABLE':
      return <Badge>{t('offline')}</Badge>;
    default:
      return <Badge>{t('unavailable')}</Badge>;
  }
}

/** For VIP members only. */
export function VipBadge(): ReactNode {
  const t = useT('servers');
  return (
    <Badge tone="vip" icon="crown">
      {t('vip')}
    </Badge>
  );
}
