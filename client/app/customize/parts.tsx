import { useState, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { uiSettings, useWrittenSettings } from '#client/lib/ui-settings-store.ts';
import { Switch } from '#client/ui/choice.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { UI_FIELDS, type ChoiceField, type UiSettings } from '#shared/ui-settings.ts';
import { Range } from './range.tsx';
import { AnimationChoice, PARTS, type Part } from './transitions.tsx';

/** The second tab: the page as a whole, the parts of the frame, the skin viewer. */
export function PartsTab(): ReactNode {
  const t = useT('customize');
  const { performance, topNav } = useWrittenSettings().settings;
  return (
    <>
      <section className="sp-cz__section" aria-label={t('page')}>
        <h3>{t('page')}</h3>
        <Range
          label={t('zoom')}
          field={UI_FIELDS.performance.zoom}
          value={performance.zoom}
          onChange={(zoom) => uiSettings.update({ performance: { zoom } })}
          onRelease
        />
        <Switch
          label={t('inMenu')}
          hint={t('inMenuHint')}
          checked={topNav.customize}
          onChange={(event) => uiSettings.update({ topNav: { customize: event.target.checked } })}
        />
      </section>
      <PartSection />
      <SkinSection />
    </>
  );
}

function PartSection(): ReactNode {
  const t = useT('customize');
  const [part, setPart] = useState<Part>('dropdown');
  const { settings } = useWrittenSettings();
  const { opacity, radius, animation, blur } = settings[part];
  const [played, setPlayed] = useState(0);
  const change = (fields: Partial<UiSettings[Part]>) => {
    uiSettings.update({ [part]: fields });
    if ('animation' in fields) setPlayed((count) => count + 1);
  };
  return (
    <section className="sp-cz__section" aria-label={t('parts')}>
      <h3>{t('parts')}</h3>
      <Choice
        label={t('parts')}
        name="cz-part"
        field={{ value: part, of: PARTS }}
        value={part}
        onChoose={setPart}
        labelOf={(each) => t(`part.${each}`)}
      />
      <p className="sp-meta">{t(`partHint.${part}`)}</p>
      <div className="sp-cz__preview" data-picture="" aria-hidden="true">
        <div
          className="sp-cz__sample"
          key={`${part}-${played}`}
          data-part={part}
          data-play={played > 0 ? '' : undefined}
        >
          <Icon name="server" />
          <span>
            <b>{t('sample')}</b>
            <span>{t('sampleText')}</span>
          </span>
        </div>
      </div>
      <Range
        label={t('opacity')}
        field={UI_FIELDS[part].opacity}
        value={opacity}
        onChange={(next) => change({ opacity: next })}
        hint={t('opacityHint')}
      />
      <Section title={t('corners')}>
        <Choice
          label={t('corners')}
          name="cz-radius"
          field={UI_FIELDS[part].radius}
          value={radius}
          onChoose={(next) => change({ radius: next })}
          labelOf={(each) => t(`radius.${each}`)}
        />
      </Section>
      <Section title={t('animation')}>
        <AnimationChoice
          label={t('animation')}
          name="cz-animation"
          value={animation}
          onChoose={(next) => change({ animation: next })}
        />
      </Section>
      <Switch label={t('blur')} checked={blur} onChange={(event) => change({ blur: event.target.checked })} />
      {part === 'topNav' && (
        <Switch
          label={t('sticky')}
          hint={t('stickyHint')}
          checked={settings.topNav.sticky}
          onChange={(event) => uiSettings.update({ topNav: { sticky: event.target.checked } })}
        />
      )}
      {part === 'notifications' && (
        <Section title={t('position')}>
          <Choice
            label={t('position')}
            name="cz-position"
            field={UI_FIELDS.notifications.position}
            value={settings.notifications.position}
            onChoose={(position) => uiSettings.update({ notifications: { position } })}
            labelOf={(each) => t(`at.${each}`)}
          />
        </Section>
      )}
    </section>
  );
}

const SKIN_RANGES = ['zoom', 'animationSpeed', 'cameraLight', 'globalLight'] as const;

function SkinSection(): ReactNode {
  const t = useT('customize');
  const { skin } = useWrittenSettings().settings;
  const change = (fields: Partial<UiSettings['skin']>) => uiSettings.update({ skin: fields });
  return (
    <section className="sp-cz__section" aria-label={t('skin')}>
      <h3>{t('skin')}</h3>
      <Switch
        label={t('walking')}
        checked={skin.walking}
        onChange={(event) => change({ walking: event.target.checked })}
      />
      <Switch
        label={t('autoRotate')}
        checked={skin.autoRotate}
        onChange={(event) => change({ autoRotate: event.target.checked })}
      />
      {SKIN_RANGES.map((name) => (
        <Range
          key={name}
          label={t(name === 'zoom' ? 'skinZoom' : name)}
          field={UI_FIELDS.skin[name]}
          value={skin[name]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
    </section>
  );
}

function Choice<T extends string>(props: {
  label: string;
  name: string;
  field: ChoiceField<T>;
  value: T;
  onChoose: (value: T) => void;
  labelOf: (value: T) => string;
}): ReactNode {
  const { label, name, field, value, onChoose, labelOf } = props;
  return (
    <Segmented
      label={label}
      name={name}
      value={value}
      options={field.of.map((each) => ({ value: each, label: labelOf(each) }))}
      onChange={(chosen) => {
        const known = field.of.find((each) => each === chosen);
        if (known) onChoose(known);
      }}
    />
  );
}

function Section({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div className="sp-cz__titled">
      <p aria-hidden="true">{title}</p>
      {children}
    </div>
  );
}
