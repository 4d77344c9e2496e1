import type { ReactNode } from 'react';
import { Form as RouterForm, useLoaderData, useNavigation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Avatar } from '#client/ui/avatar.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { IconLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/href.ts';
import { LOOKUP_MIN } from '#shared/schemas/community.ts';
import { PlayerName } from './player-name.tsx';

/** Players by the beginning of their name; the query is in the address (`?q=`). */
export async function loader(args: LoaderFunctionArgs) {
  const q = (new URL(args.request.url).searchParams.get('q') ?? '').trim().slice(0, 64);
  if (q.length < LOOKUP_MIN) return { q, people: [], more: false, tooFast: false };
  try {
    const { people, more } = await apiOf(args).profiles.lookup({ query: { q } });
    return { q, people, more, tooFast: false };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED')
      return { q, people: [], more: false, tooFast: true };
    throw error;
  }
}
type Data = Awaited<ReturnType<typeof loader>>;

/** /lookup (behaviour 7.2) */
export default function LookupScreen(): ReactNode {
  const t = useT('community');
  const data = useLoaderData<typeof loader>();
  const busy = useNavigation().state === 'loading';
  return (
    <Page narrow>
      <PageHead title={t('lookupTitle')} text={t('lookupText')} />
      <Card>
        <search>
          <RouterForm method="get" action={href('lookup')} className="sp-lookup">
            <label className="sp-field__label" htmlFor="lookup-q">
              {t('lookupLabel')}
            </label>
            <div className="sp-lookup__row">
              <input
                key={data.q}
                id="lookup-q"
                type="search"
                name="q"
                className="sp-input"
                defaultValue={data.q}
                maxLength={32}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                aria-describedby="lookup-hint"
              />
              <Button type="submit" variant="primary" icon="search" busy={busy}>
                {t('lookupSearch')}
              </Button>
            </div>
            <p className="sp-field__hint" id="lookup-hint">
              {t('lookupHint', { count: LOOKUP_MIN })}
            </p>
          </RouterForm>
        </search>
      </Card>
      <Results data={data} />
    </Page>
  );
}

function Results({ data }: { data: Data }): ReactNode {
  const t = useT('community');
  const text = useErrorText();
  const { flags, session } = useShell();
  if (data.tooFast)
    return (
      <Banner tone="warning" live>
        {text.code('RATE_LIMITED')}
      </Banner>
    );
  if (data.q.length < LOOKUP_MIN) return null;
  if (data.people.length === 0) {
    return (
      <Card>
        <EmptyState art="search" as="h2" title={t('lookupNone')} text={t('lookupNoneText')} />
      </Card>
    );
  }
  return (
    <Card
      title={t(data.more ? 'lookupFirst' : 'lookupFound', { count: data.people.length })}
      text={data.more ? t('lookupFirstText') : undefined}
      flush
    >
      <List>
        {data.people.map((person) => (
          <ListItem
            key={person.id}
            title={
              <span className="sp-board__player">
                <Avatar name={person.username} />
                <PlayerName person={{ ...person, linked: true }} />
              </span>
            }
            end={
              flags.allow_coins_sharing &&
              person.id !== session.user?.id && (
                <IconLink
                  icon="gift"
                  label={t('giftTo', { name: person.username })}
                  to={href('profile.gift', { id: person.id })}
                />
              )
            }
          />
        ))}
      </List>
    </Card>
  );
}
