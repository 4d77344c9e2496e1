import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import { HUES } from '#client/lib/hue.ts';
import type { CustomFieldProps } from '#client/resource/area.ts';
import { Block, type BlockShape } from '#client/ui/block.tsx';
import { FieldGroup } from '#client/ui/field.tsx';
import { useFormErrors } from '#client/ui/form-context.ts';
import { BLOCK_SHAPES } from '#shared/schemas/egg.ts';

const toShape = (text: unknown): BlockShape => BLOCK_SHAPES.find((shape) => shape === text) ?? 'cube';

/** The block that represents an egg: a shape for the kind and a hue for the egg, with a preview. */
export function BlockField({ label, hint, value, row }: CustomFieldProps): ReactNode {
  const t = useLooseT('areas/eggs');
  const { values } = useFormErrors();
  const [shape, setShape] = useState(() => toShape(values.shape ?? value));
  const [hue, setHue] = useState(() => Number(values.hue ?? row.hue ?? 0));
  return (
    <div className="sp-stack" data-gap="3">
      <FieldGroup label={label} name="shape" {...(hint === undefined ? {} : { hint })}>
        <div className="sp-swatches">
          {BLOCK_SHAPES.map((each) => (
            <label key={each} className="sp-swatch">
              <input
                type="radio"
                name="shape"
                value={each}
                defaultChecked={each === shape}
                onChange={() => setShape(each)}
                aria-label={t(`values.shape_${each}`)}
              />
              <Block shape={each} hue={hue} />
            </label>
          ))}
        </div>
      </FieldGroup>
      <FieldGroup label={t('fields.hue')} name="hue">
        <div className="sp-swatches">
          {Array.from({ length: HUES }, (_, each) => (
            <label key={each} className="sp-swatch">
              <input
                type="radio"
                name="hue"
                value={each}
                defaultChecked={each === hue}
                onChange={() => setHue(each)}
                aria-label={t('hueNumber', { n: each + 1 })}
              />
              <Block shape={shape} hue={each} />
            </label>
          ))}
        </div>
      </FieldGroup>
    </div>
  );
}
