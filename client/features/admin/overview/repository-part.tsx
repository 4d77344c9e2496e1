import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Card } from '#client/ui/card.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { PartBody } from './part-body.tsx';
import type { OverviewData } from './screen.tsx';

type Repository = NonNullable<Awaited<OverviewData['repository']>>;

/** Where the project lives, and its newest releases, as the feed of releases says: the browser asks nobody else. */
export function RepositoryPart({ value }: { value: NonNullable<OverviewData['repository']> }): ReactNode {
  const t = useT('admin');
  return (
    <Card title={t('part.repository')} flush>
      <PartBody value={value} rows={3}>
        {(data) => <Releases data={data} />}
      </PartBody>
    </Card>
  );
}

function Releases({ data: { version, repository, releases } }: { data: Repository }): ReactNode {
  const t = useT('overview');
  const format = useFormat();
  const outside = (url: string, text: string) => (
    <TextLink to={url} target="_blank" rel="noreferrer">
      {text}
    </TextLink>
  );
  return (
    <>
      <p className="sp-card__body sp-small sp-muted">
        {repository === null ? t('repository.none') : outside(repository, new URL(repository).host)}
      </p>
      {releases.length > 0 && (
        <List label={t('repository.releases')}>
          {releases.map((release) => (
            <ListItem
              key={release.version}
              title={outside(release.notes, release.version)}
              text={format.date(`${release.date}T12:00:00Z`)}
              end={
                release.version === version ? (
                  <Badge>{t('repository.running')}</Badge>
                ) : (
                  release.security && <Badge tone="danger">{t('repository.security')}</Badge>
                )
              }
            />
          ))}
        </List>
      )}
    </>
  );
}
