import type { ReactNode } from 'react';
import { Card } from '#client/ui/card.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { DependantCount } from '#shared/contract/crud.ts';
import { href } from '#shared/routes/href.ts';
import { useTexts, type Area } from './area.ts';

/** What depends on a row: how many of each kind, what would become of them, and where they are. */
export function DependantList(props: { definition: Area; id: string; counts: readonly DependantCount[] }): ReactNode {
  const { definition, id, counts } = props;
  const texts = useTexts(definition.area);
  if (counts.length === 0) return null;
  return (
    <Card title={texts.text('dependsTitle')} flush>
      <List>
        {counts.map(({ kind, count }) => {
          const link = definition.dependants[kind]?.link;
          const end =
            link && count > 0
              ? {
                  end: (
                    <TextLink to={`${href(`admin.${link.area}.list`)}?${link.filter}=${encodeURIComponent(id)}`}>
                      {texts.text('show')}
                    </TextLink>
                  ),
                }
              : {};
          return (
            <ListItem
              key={kind}
              title={texts.text(`dependants.${kind}`, { count })}
              {...(count > 0 ? { text: texts.text(`dependantHints.${kind}`) } : {})}
              {...end}
            />
          );
        })}
      </List>
    </Card>
  );
}
