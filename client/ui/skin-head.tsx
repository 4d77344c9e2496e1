import type { ReactNode } from 'react';

/** The face of a skin with its second layer, cropped from the picture by the browser. Decoration beside the name. */
export function SkinHead({ src, size }: { src: string; size?: 'lg' }): ReactNode {
  return (
    <svg className="sp-head" viewBox="0 0 8 8" data-size={size} aria-hidden="true">
      {[8, 40].map((left) => (
        <svg key={left} width="8" height="8" viewBox={`${left} 8 8 8`}>
          <image href={src} width="64" height="64" preserveAspectRatio="xMinYMin meet" />
        </svg>
      ))}
    </svg>
  );
}
