import { useState } from 'react';
import type { ClipboardEvent, DragEvent } from 'react';

/** Props of what takes files: `drop` of where they are dropped, `onPaste` of the text they are pasted into. */
interface FileDrop {
  readonly onPaste?: (event: ClipboardEvent) => void;
  readonly drop: {
    readonly 'data-dropping'?: true | undefined;
    readonly onDragOver?: (event: DragEvent) => void;
    readonly onDragLeave?: (event: DragEvent) => void;
    readonly onDrop?: (event: DragEvent) => void;
  };
}

/** Hears of files that are dropped or pasted, at least one at a time. In: what takes them; null takes none. */
export function useFileDrop(take: ((files: readonly File[]) => void) | null): FileDrop {
  const [isOver, setOver] = useState(false);
  if (!take) return { drop: {} };
  return {
    onPaste: (event) => {
      const { files, types } = event.clipboardData;
      // Text that was copied from an office program comes with a picture of it.
      if (files.length === 0 || types.includes('text/plain')) return;
      event.preventDefault();
      take([...files]);
    },
    drop: {
      'data-dropping': isOver || undefined,
      // A browser drops files where this was prevented, and opens them anywhere else.
      onDragOver: (event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        setOver(false);
        take([...event.dataTransfer.files]);
      },
    },
  };
}
