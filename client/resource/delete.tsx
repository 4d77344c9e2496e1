import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { DependantCount } from '#shared/contract/crud.ts';
import { href } from '#shared/routes/href.ts';
import { areaApi, areaHrefs, useCan, useAreaTexts, type Area, type Overrides, type Row } from './area.ts';
import { ResourceCell } from './cells.tsx';
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
    async action(args) {
      const form = await args.request.formData();
      try {
        await areaApi(definition, apiOf(args)).remove({
          params: { id: args.params.id ?? '' },
          body: { name: String(form.get('name') ?? '') },
        });
        return redirect(
          form.get('_stay') === null ? `${areaHrefs(definition.area).list}?done=delete` : href('dashboard'),
        );
      } catch (error) {
        return toFormFailure(error, form);
      }
    },
    Screen: () => <Delete definition={definition} overrides={overrides} />,
    pageName: ({ row }) => String(row[definition.title]),
  };
}

function Delete({ definition, overrides }: { definition: Area; overrides: Overrides | undefined }): ReactNode {
  const { row, dependants, refused } = useLoaderData<Loaded>();
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  const answer = useFormProps(useActionData<FormFailure>());
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
        <Card tone="danger" title={texts.text('deleteSure')} text={texts.text('deleteForever')}>
          <Form {...answer} noSummary={Object.keys(answer.errors).length > 0}>
            {!may('list') && <input type="hidden" name="_stay" value="1" />}
            <Field label={texts.text('typeName', { name })} name="name" required>
              <TextInput mono autoComplete="off" spellCheck={false} maxLength={200} />
            </Field>
            <div className="sp-btn-row">
              <Button type="submit" variant="danger" icon="trash">
                {texts.text('delete')}
              </Button>
              <LinkButton to={back} variant="ghost">
                {texts.text('cancel')}
              </LinkButton>
            </div>
          </Form>
        </Card>
      )}
    </Page>
  );
}
