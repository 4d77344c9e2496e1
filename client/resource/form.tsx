import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { redirect, useActionData, useLoaderData, useLocation } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useI18n } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { useDirty, useUnsavedWarning } from '#client/ui/unsaved.ts';
import { ApiError } from '#shared/contract/client.ts';
import type { DependantCount, ResourceOptions } from '#shared/contract/crud.ts';
import { href } from '#shared/routes/href.ts';
import { fieldErrors } from '#shared/validation.ts';
import {
  areaApi,
  areaHrefs,
  useCan,
  useAreaTexts,
  type Area,
  type Overrides,
  type Row,
  type AreaTexts,
} from './area.ts';
import { DependantList } from './dependants.tsx';
import { ResourceField } from './fields.tsx';
import { changedFields, readResource } from './read.ts';
import { SavedBanner } from './saved.tsx';

interface Loaded {
  /** Null for a new one. */
  readonly row: Row | null;
  readonly options: ResourceOptions;
  readonly dependants: readonly DependantCount[];
}
export interface FormScreen {
  loader(args: LoaderFunctionArgs): Promise<Loaded>;
  action(args: ActionFunctionArgs): Promise<FormFailure | Response>;
  Screen(): ReactNode;
  /** The row's name; nothing for a new one. */
  pageName(data: Loaded): string;
}

/** The page that creates a row of an area. */
export function createScreen(definition: Area, overrides?: Overrides): FormScreen {
  return {
    loader: async (args) => ({ row: null, dependants: [], ...(await areaApi(definition, apiOf(args)).formOptions()) }),
    action: (args) =>
      submit(
        args,
        definition,
        (form) => readResource(definition, definition.create, form, overrides),
        async (body, key, form) => {
          const { id } = await areaApi(definition, apiOf(args)).create({ body }, key);
          return redirect(`${hrefAfterSave(form, definition, areaHrefs(definition.area).create)}?done=create-${id}`);
        },
      ),
    Screen: () => <FormPage definition={definition} overrides={overrides} />,
    pageName: () => '',
  };
}

/** The page that changes a row of an area. */
export function editScreen(definition: Area, overrides?: Overrides): FormScreen {
  return {
    loader: (args) => areaApi(definition, apiOf(args)).get({ params: { id: args.params.id ?? '' } }),
    action: (args) =>
      submit(
        args,
        definition,
        (form) => readResource(definition, definition.update, form, overrides),
        async (input, key, form) => {
          const id = args.params.id ?? '';
          await areaApi(definition, apiOf(args)).update(
            { params: { id }, body: { ...input, updated_at: String(form.get('updated_at')) } },
            key,
          );
          return redirect(`${hrefAfterSave(form, definition, areaHrefs(definition.area).edit(id))}?done=edit-${id}`);
        },
      ),
    Screen: () => <FormPage definition={definition} overrides={overrides} />,
    pageName: ({ row }) => String(row?.[definition.title] ?? ''),
  };
}

/** Where to go after saving: the list, or the same page for those who may not see the list. */
const hrefAfterSave = (form: FormData, definition: Area, here: string): string =>
  form.get('_stay') === null ? areaHrefs(definition.area).list : here;

type Send = (body: Record<string, unknown>, key: { key?: string }, form: FormData) => Promise<Response>;

/** Validates the form with the server's schema, submits it, and returns the errors. */
async function submit(
  args: ActionFunctionArgs,
  definition: Area,
  read: (form: FormData) => Record<string, unknown>,
  send: Send,
): Promise<FormFailure | Response> {
  const form = await args.request.formData();
  const schema = args.params.id === undefined ? definition.create : definition.update;
  const parsed = schema.safeParse(read(form));
  try {
    if (!parsed.success) throw new ApiError('VALIDATION_FAILED', 422, { fields: fieldErrors(parsed.error) });
    const key = form.get('_key');
    return await send(parsed.data, typeof key === 'string' && key !== '' ? { key } : {}, form);
  } catch (error) {
    return toFormFailure(error, form);
  }
}

function FormPage({ definition, overrides }: { definition: Area; overrides: Overrides | undefined }): ReactNode {
  const { row, options, dependants } = useLoaderData<Loaded>();
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  const to = areaHrefs(definition.area);
  const Picture = overrides?.picture;
  const Beside = overrides?.beside;
  const name = row ? String(row[definition.title]) : '';
  // A new address resets the form, also after a save that stays on the page.
  const { pathname, search } = useLocation();
  const form = (
    <RowForm key={pathname + search} definition={definition} overrides={overrides} row={row} options={options} />
  );
  return (
    <Page narrow={row === null}>
      <PageHead
        title={row ? name : texts.text('createTitle')}
        crumbs={useCrumbs({ [`admin.${definition.area}.edit`]: name })}
        {...(row && Picture ? { picture: <Picture row={row} /> } : {})}
        {...(row && may('delete')
          ? {
              actions: (
                <LinkButton to={to.delete(String(row.id))} variant="danger-quiet" icon="trash">
                  {texts.text('delete')}
                </LinkButton>
              ),
            }
          : {})}
      />
      <SavedBanner definition={definition} rows={row ? [row] : []} />
      {row === null ? (
        form
      ) : (
        <div className="sp-split">
          {form}
          <div className="sp-stack">
            {Beside && <Beside row={row} />}
            <DependantList definition={definition} id={String(row.id)} counts={dependants} />
            <RowTimes row={row} texts={texts} />
          </div>
        </div>
      )}
    </Page>
  );
}

function RowTimes({ row, texts }: { row: Row; texts: AreaTexts }): ReactNode {
  const format = useFormat();
  const shown = ['created_by', 'created_at', 'updated_at'].filter((name) => typeof row[name] === 'string');
  return (
    <Card title={texts.text('facts')}>
      <Facts
        items={shown.map((name) => ({
          label: texts.field(name),
          value: name.endsWith('_at') ? format.dateTime(String(row[name])) : String(row[name]),
        }))}
      />
    </Card>
  );
}

interface RowFormProps {
  definition: Area;
  overrides: Overrides | undefined;
  row: Row | null;
  options: ResourceOptions;
}

function RowForm({ definition, overrides, row, options }: RowFormProps): ReactNode {
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  const { timeZone } = useI18n();
  const result = useActionData<FormFailure>();
  const answer = useFormProps(result);
  const { at, dirty, changed } = useChanges(texts);
  useUnsavedWarning(dirty);
  const values = row ?? definition.defaults;
  const labels = Object.fromEntries(Object.keys(answer.errors).map((name) => [name, labelOf(name, texts)]));
  const stale = result?.code === 'CONFLICT';
  return (
    <Form
      {...answer}
      translateError={(code, name) => texts.error(name, code) || answer.translateError(code)}
      labels={labels}
    >
      <div className="sp-stack" ref={at}>
        <FormKey />
        <input type="hidden" name="_zone" value={timeZone} />
        {!may('list') && <input type="hidden" name="_stay" value="1" />}
        {/* What the editor saw: kept after a refusal, so that a second click does not overwrite what somebody else did. */}
        {row && <input type="hidden" name="updated_at" value={answer.values.updated_at ?? String(row.updated_at)} />}
        {stale && (
          <Banner
            tone="warning"
            action={
              <TextLink to={areaHrefs(definition.area).edit(String(row?.id))} reloadDocument>
                {texts.text('loadNewest')}
              </TextLink>
            }
          >
            {texts.text('stale')}
          </Banner>
        )}
        {Object.entries(definition.groups).map(([group, { columns }]) => (
          <Card
            key={group}
            title={texts.text(`groups.${group}`)}
            {...(texts.text(`groupHints.${group}`) ? { text: texts.text(`groupHints.${group}`) } : {})}
          >
            <div className="sp-fields" data-columns={columns}>
              {Object.entries(definition.fields).map(([name, field]) =>
                field.group === group ? (
                  <div key={name} className="sp-fields__cell" data-wide={field.wide}>
                    <ResourceField
                      definition={definition}
                      name={name}
                      row={values}
                      options={options}
                      overrides={overrides}
                    />
                  </div>
                ) : null,
              )}
            </div>
          </Card>
        ))}
        <SaveBar what={dirty ? changed || texts.text('unsaved') : undefined}>
          <LinkButton to={may('list') ? areaHrefs(definition.area).list : href('dashboard')} variant="ghost">
            {texts.text('cancel')}
          </LinkButton>
          <Button type="submit" variant="primary">
            {texts.text(row ? 'save' : 'create')}
          </Button>
        </SaveBar>
      </div>
    </Form>
  );
}

/** `variables.2.rules` is the third of the variables. */
function labelOf(name: string, texts: AreaTexts): string {
  const [field = '', index, part] = name.split('.');
  return index === undefined
    ? texts.field(field)
    : [texts.text('nth', { what: texts.field(field), n: Number(index) + 1 }), part && texts.field(`${field}_${part}`)]
        .filter(Boolean)
        .join(', ');
}

/** Whether the form around an element (`at` is its ref) has unsaved changes, and which, as text. */
function useChanges(texts: AreaTexts): { at: (element: Element | null) => void; dirty: boolean; changed: string } {
  const form = useRef<HTMLFormElement | null>(null);
  const [names, setNames] = useState<readonly string[]>([]);
  const at = useCallback((element: Element | null) => {
    form.current = element?.closest('form') ?? null;
  }, []);
  // As useDirty: before anybody can type.
  useLayoutEffect(() => {
    const element = form.current;
    if (!element) return;
    const note = (): void => setNames(changedFields(element));
    element.addEventListener('input', note);
    return () => element.removeEventListener('input', note);
  }, []);
  const { dirty } = useDirty(form);
  return { at, dirty, changed: names.map((name) => texts.field(name)).join(', ') };
}
