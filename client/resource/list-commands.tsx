import { useEffect, useEffectEvent, useState } from 'react';
import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { Button } from '#client/ui/button.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import type { MenuItem } from '#client/ui/menu.tsx';
import { BulkBar } from '#client/ui/table-selection.tsx';
import { toasts } from '#client/ui/toasts.ts';
import { areaHrefs, useCan, useAreaTexts, type Area, type Row, type AreaTexts } from './area.ts';

/** What a command on rows did. */
export interface BulkResult {
  readonly intent: string;
  readonly done: number;
  readonly refused: number;
}
type Intent = 'on' | 'off' | 'delete';
type Command = (intent: Intent, ids: readonly string[]) => void;

/** Commands on rows, and which rows are selected. A toast reports the outcome. */
export function useBulkCommand(texts: AreaTexts) {
  const fetcher = useFetcher<FormResult<BulkResult>>();
  const errors = useErrorText();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const showOutcome = useEffectEvent((answer: FormResult<BulkResult>) => {
    if (!answer.ok) return void toasts.show({ tone: 'danger', title: errors.code(answer.code) });
    const { intent, done, refused } = answer.result;
    if (done > 0) toasts.show({ tone: 'positive', title: texts.text(`done.${intent}`, { count: done }) });
    if (refused > 0) toasts.show({ tone: 'danger', title: texts.text('done.refused', { count: refused }) });
  });
  useEffect(() => {
    if (fetcher.data) showOutcome(fetcher.data);
  }, [fetcher.data]);
  const command = async (intent: Intent, ids: readonly string[]): Promise<void> => {
    const ask = {
      title: texts.text('deleteMany', { count: ids.length }),
      text: texts.text('deleteManyText'),
      ok: texts.text('delete'),
      tone: 'danger' as const,
    };
    if (intent === 'delete' && !(await dialogs.confirm(ask))) return;
    setSelected(new Set());
    const form = new FormData();
    form.set('_intent', intent);
    for (const id of ids) form.append('id', id);
    await fetcher.submit(form, { method: 'post' });
  };
  return {
    command: ((intent, ids) => void command(intent, ids)) satisfies Command,
    busy: fetcher.state !== 'idle',
    selected,
    setSelected,
  };
}

/** The menu of a row, with the actions the visitor may use. */
export function rowMenuOf(
  definition: Area,
  row: Row,
  { texts, may, command }: { texts: AreaTexts; may: ReturnType<typeof useCan>; command: Command },
): readonly MenuItem[] {
  const to = areaHrefs(definition.area);
  const id = String(row.id);
  const { switch: name } = definition.bulk;
  const on = name !== undefined && row[name] === true;
  const edit = { id: 'edit', label: texts.text('edit'), icon: 'pencil', to: to.edit(id) } as const;
  const toggle = {
    id: 'toggle',
    label: texts.text(on ? 'turnOff' : 'turnOn'),
    icon: on ? 'pause' : 'play',
    onSelect: () => command(on ? 'off' : 'on', [id]),
  } as const;
  const remove = {
    id: 'delete',
    label: texts.text('delete'),
    icon: 'trash',
    tone: 'danger',
    divided: may('edit'),
    to: to.delete(id),
  } as const;
  return [
    ...(may('edit') ? [edit] : []),
    ...(may('edit') && name !== undefined ? [toggle] : []),
    ...(may('delete') ? [remove] : []),
  ];
}

interface BulkProps {
  definition: Area;
  selection: { selected: ReadonlySet<string>; change: (selected: ReadonlySet<string>) => void };
  command: Command;
}

/** The commands on the selected rows. */
export function BulkCommands({ definition, selection, command }: BulkProps): ReactNode {
  const texts = useAreaTexts(definition.area);
  const may = useCan(definition);
  const run = (intent: Intent) => () => command(intent, [...selection.selected]);
  return (
    <BulkBar selection={selection}>
      {may('edit') && definition.bulk.switch !== undefined && (
        <>
          <Button size="sm" variant="ghost" icon="play" onClick={run('on')}>
            {texts.text('turnOn')}
          </Button>
          <Button size="sm" variant="ghost" icon="pause" onClick={run('off')}>
            {texts.text('turnOff')}
          </Button>
        </>
      )}
      {may('delete') && definition.bulk.delete && (
        <Button size="sm" variant="danger-quiet" icon="trash" onClick={run('delete')}>
          {texts.text('delete')}
        </Button>
      )}
    </BulkBar>
  );
}
