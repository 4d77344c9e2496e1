import type { ReactNode } from 'react';
import { facesOf } from './art.ts';
import type { SceneName } from './art.ts';

interface SystemPageProps {
  scene: SceneName;
  /** `404 Not Found`: the answer in the machine's words. */
  code?: string;
  title: string;
  /** Paragraphs. */
  children: ReactNode;
  /** Buttons: the way on. */
  actions: ReactNode;
}

/** A page of the system itself: what happened, the way on, and a picture of it. */
export function SystemPage({ scene, code, title, children, actions }: SystemPageProps): ReactNode {
  return (
    <div className="sp-sys">
      <div className="sp-sys__text">
        {code && <p className="sp-sys__code">{code}</p>}
        <h1>{title}</h1>
        {children}
        <div className="sp-btn-row">{actions}</div>
      </div>
      <svg className="sp-sys__art" viewBox="-135 -125 270 260" aria-hidden="true">
        {facesOf(scene).map((face, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- a fixed list in painting order
          <path key={index} data-kind={face.kind} d={face.d} />
        ))}
      </svg>
    </div>
  );
}
