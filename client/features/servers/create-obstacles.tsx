import type { ReactNode } from 'react';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/href.ts';
import { remainingOf, BOLD } from './parts.tsx';
import { insufficientKinds } from './create-form.ts';
import type { Egg, Options } from './create-form.ts';

/** Whether a new server is blocked by something that the form itself cannot change. */
export function isBlocked(options: Options, egg: Egg | null, unverified: boolean): boolean {
  return (
    unverified ||
    remainingOf(options.meters.slots) === 0 ||
    !options.locations.some((location) => location.available) ||
    options.categories.length === 0 ||
    insufficientKinds(egg, options.meters).length > 0
  );
}

/** What blocks a new server, with links to where it can be changed. */
export function CreateObstacles({
  options,
  egg,
  unverified,
}: {
  options: Options;
  egg: Egg | null;
  unverified: boolean;
}): ReactNode {
  const t = useT('servers');
  const { flags } = useShell();
  const store = flags.store_enabled && (
    <LinkButton size="sm" to={href('store')}>
      {t('toStore')}
    </LinkButton>
  );
  if (unverified) {
    return (
      <Banner
        tone="warning"
        icon="mail"
        action={
          <LinkButton size="sm" to={href('auth.verify')}>
            {t('verifyNow')}
          </LinkButton>
        }
      >
        <Rich t={t} k="blockedUnverified" tags={BOLD} />
      </Banner>
    );
  }
  if (remainingOf(options.meters.slots) === 0) {
    return (
      <Banner tone="warning" action={store}>
        <Rich t={t} k="blockedSlots" tags={BOLD} />
      </Banner>
    );
  }
  const insufficient = insufficientKinds(egg, options.meters);
  if (insufficient.length > 0) {
    return (
      <Banner tone="warning" action={store}>
        <Rich
          t={t}
          k="blockedResources"
          tags={BOLD}
          vars={{ kinds: insufficient.map((kind) => t(`kind.${kind}`)).join(', ') }}
        />
      </Banner>
    );
  }
  if (options.locations.length > 0 && !options.locations.some((location) => location.available)) {
    return (
      <Banner tone="warning" live>
        <Rich t={t} k="blockedLocations" tags={BOLD} />
      </Banner>
    );
  }
  return null;
}
