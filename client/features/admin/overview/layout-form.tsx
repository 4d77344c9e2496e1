import { useState, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button, IconButton } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Form } from '#client/ui/form.tsx';
import type { OverviewPart } from '#shared/overview.ts';

interface LayoutFormProps {
  /** The parts that the visitor may see. */
  readonly allowed: readonly OverviewPart[];
  /** Those that are shown, in their order. */
  readonly shown: readonly OverviewPart[];
}

/** Chooses the parts of the overview and their order. Without scripts parts are shown or hidden; with them also moved. */
export function LayoutForm({ allowed, shown }: LayoutFormProps): ReactNode {
  const t = useT('admin');
  const [order, setOrder] = useState<readonly OverviewPart[]>(() => [
    ...shown,
    ...allowed.filter((part) => !shown.includes(part)),
  ]);
  const move = (from: number, to: number): void => {
    const next = order.toSpliced(from, 1);
    setOrder(next.toSpliced(to, 0, ...order.slice(from, from + 1)));
  };
  return (
    <Disclosure label={t('layout')}>
      <Card title={t('layout')} text={t('layoutText')}>
        <Form noSummary preventScrollReset>
          <input type="hidden" name="_intent" value="layout" />
          <ul className="sp-layout" aria-label={t('layout')}>
            {order.map((part, index) => (
              <li key={part}>
                <Checkbox name="part" value={part} defaultChecked={shown.includes(part)}>
                  {t(`part.${part}`)}
                </Checkbox>
                <span>
                  <IconButton
                    icon="arrow-up"
                    size="sm"
                    label={t('moveUp', { part: t(`part.${part}`) })}
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  />
                  <IconButton
                    icon="arrow-down"
                    size="sm"
                    label={t('moveDown', { part: t(`part.${part}`) })}
                    disabled={index === order.length - 1}
                    onClick={() => move(index, index + 1)}
                  />
                </span>
              </li>
            ))}
          </ul>
          <div className="sp-btn-row">
            <Button type="submit">{t('layoutSave')}</Button>
            <Button type="submit" name="reset" value="1" variant="ghost">
              {t('layoutReset')}
            </Button>
          </div>
        </Form>
      </Card>
    </Disclosure>
  );
}
