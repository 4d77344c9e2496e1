import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { DependantCount } from '#shared/contract/crud.ts';
import { RESOURCES, type AreaName } from '#shared/resources/index.ts';
import { referencesTo } from '#shared/resources/references.ts';
import { areaHrefs, useAreaTexts, type Area } from './area.ts';

/** Where rows of a kind that depend on a row are listed: the area, and its filter that takes the row's id. */
function dependantsLink(definition: Area, kind: string): { area: AreaName; filter: string } | null {
  const link = definition.dependants[kind]?.link;
  if (link) return isArea(link.area) ? { area: link.area, filter: link.filter } : null;
  const reference = referencesTo(definition.area).find((each) => each.definition.area === kind);
  return reference && isArea(kind) ? { area: kind, filter: reference.field } : null;
}
const isArea = (name: string): name is AreaName => Object.hasOwn(RESOURCES, name);

/** What depends on a row: how many of each kind, what would become of them, and where they are. */
export function DependantList(props: { definition: Area; id: string; counts: readonly DependantCount[] }): ReactNode {
  const { definition, id, counts } = props;
  const texts = useAreaTexts(definition.area);
  const titles = useLooseT('shell');
  if (counts.length === 0) return null;
  return (
    <Card title={texts.text('dependsTitle')} flush>
      <List>
        {counts.map(({ kind, count }) => {
          const link = dependantsLink(definition, kind);
          const end =
            link && count > 0
              ? {
                  end: (
                    <TextLink to={`${areaHrefs(link.area).list}?${link.filter}=${encodeURIComponent(id)}`}>
                      {texts.text('show')}
                    </TextLink>
                  ),
                }
              : {};
          // Another area that refers to this one has no text here: its title and the number say it.
          const own = Object.hasOwn(definition.dependants, kind);
          return (
            <ListItem
              key={kind}
              title={
                own
                  ? texts.text(`dependants.${kind}`, { count })
                  : texts.text('referring', { area: titles(`title.${kind}.list`), count })
              }
              {...(count > 0 ? { text: texts.text(own ? `dependantHints.${kind}` : 'referringHint') } : {})}
              {...end}
            />
          );
        })}
      </List>
    </Card>
  );
}
