import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { CatalogueData } from './sync.tsx';

/** The nests of the panel; each can be imported as a whole. */
export function NestsCard({ nests }: { nests: CatalogueData['nests'] }): ReactNode {
  const t = useT('panels');
  return (
    <Card flush title={t('nests')} text={t('nestsText')}>
      <List>
        {nests.map(({ ref, name, eggs, waiting, category }) => {
          const called = name === '' ? t('noNest') : name;
          const text = `${t('eggCount', { count: eggs })}${category ? ` · ${t('becameCategory', { name: category.name })}` : ''}`;
          const end =
            waiting === 0 ? (
              <span className="sp-muted">{t('allImported')}</span>
            ) : (
              <Form noSummary preventScrollReset>
                <input type="hidden" name="_intent" value="take" />
                <input type="hidden" name="nest" value={ref} />
                <Button
                  type="submit"
                  size="sm"
                  icon="download"
                  aria-label={t('named', { what: t('importNest', { count: waiting }), name: called })}
                >
                  {t('importNest', { count: waiting })}
                </Button>
              </Form>
            );
          return <ListItem key={ref} icon="layers" title={called} text={text} end={end} />;
        })}
      </List>
    </Card>
  );
}
