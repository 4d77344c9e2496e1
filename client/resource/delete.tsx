import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import type { DependantCount } from '#shared/contract/crud.ts';
import { href } from '#shared/routes/href.ts';
import { areaApi, areaHrefs, useCan, useAreaTexts, type Area, type Overrides, type Row } from './area.ts';
import { ResourceCell } from './cells.tsx';
import { DeleteByNameCard, deleteByName } from './delete-by-name.tsx';
import { DependantList } from './dependants.tsx';

interface Loaded {
  readonly row: Row;
  readonly dependants: readonly DependantCount[];
  readonly refused: boolean;
}
export interface DeleteScreen {
  loader(args: LoaderFunctionArgs): Promise<Loaded>;
  action(args: ActionFunctionArgs): Promise<FormFailure | Response>;
  Screen(): ReactNode;
  /** The row's name. */
  pageName(data: Loaded): string;
}

/** The page that deletes a row of an area: what it is, what depends on it, and its name to be typed. */
export function deleteScreen(definition: Area, overrides?: Overrides): DeleteScreen {
  return {
    loader: (args) => areaApi(definition, apiOf(args)).dependants({ params: { id: args.params.id ?? '' } }),
    action(args) {
      const params = { id: args.params.id ?? '' };
      const remove = (body: { readonly name: string }) => areaApi(definition, apiOf(args)).remove({ params, body });
      return deleteByName(args.request, areaHrefs(definition.area).list, remove);
    },
    Screen: () => <Delete definition={definition} overrides={overrides} />,
    pageName: ({ row }) => String(row[definition.title]),
  };
}

function Delete({ definition, overrides }: { definition: Area; overrides: Overrides | undefined }): ReactNode {
  const { row, dependants, refused } = useLoaderData<Loaded>();
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  const to = areaHrefs(definition.area);
  const back = may('list') ? to.list : href('dashboard');
  const [id, name] = [String(row.id), String(row[definition.title])];
  const Picture = overrides?.picture;
  const columns = Object.keys(definition.columns).filter((key) => key !== definition.title);
  return (
    <Page narrow>
      <PageHead
        title={texts.text('deleteTitle', { name })}
        crumbs={useCrumbs()}
        {...(Picture ? { picture: <Picture row={row} /> } : {})}
      />
      {refused && (
        <Banner
          tone="warning"
          {...(may('edit')
            ? {
                action: (
                  <LinkButton size="sm" to={to.edit(id)}>
                    {texts.text('edit')}
                  </LinkButton>
                ),
              }
            : {})}
        >
          {texts.text('refused')}
        </Banner>
      )}
      <Card title={name}>
        <Facts
          items={columns.map((key) => ({
            label: texts.column(key),
            value: <ResourceCell definition={definition} name={key} row={row} overrides={overrides} />,
          }))}
        />
      </Card>
      <DependantList definition={definition} id={id} counts={dependants} />
      {refused ? (
        <div className="sp-btn-row">
          <LinkButton to={back}>{texts.text('back')}</LinkButton>
        </div>
      ) : (
        <DeleteByNameCard
          title={texts.text('deleteSure')}
          text={texts.text('deleteForever')}
          typeName={texts.text('typeName', { name })}
          sure={texts.text('delete')}
          cancel={texts.text('cancel')}
          back={back}
          isListed={may('list')}
        />
      )}
    </Page>
  );
}
