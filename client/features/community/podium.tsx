import type { ReactNode } from 'react';
import { useFormat } from '#client/lib/i18n.tsx';
import { Avatar } from '#client/ui/avatar.tsx';
import type { Board } from '#shared/leaderboard.ts';
import type { LeaderboardEntry } from './leaderboard.tsx';
import { PlayerName } from './player-name.tsx';
import { Score } from './score.tsx';

/** Slabs under each of the first three. */
const HEIGHTS = [4, 3, 2] as const;
/** Half the width of a slab, how flat it lies, and how thick it is. */
const HALF = 60;
const FLAT = 30;
const THICK = 18;

/** The first three on stacks of slabs, the highest in the middle. Screen readers get them in order of rank. */
export function Podium({
  label,
  board,
  places,
}: {
  label: string;
  board: Board;
  places: readonly LeaderboardEntry[];
}): ReactNode {
  const format = useFormat();
  return (
    <ol className="sp-podium" aria-label={label}>
      {places.map((place, index) => (
        <li key={place.id} className="sp-podium__place" data-step={index + 1}>
          <Avatar name={place.username} size="lg" />
          <span className="sp-podium__name">
            <span className="sp-sr">{format.number(place.rank)} </span>
            <PlayerName person={place} />
          </span>
          <Score board={board} value={place.score} />
          <Slabs count={HEIGHTS[index] ?? 1} rank={format.number(place.rank)} first={index === 0} />
        </li>
      ))}
    </ol>
  );
}

function Slabs({ count, rank, first }: { count: number; rank: string; first: boolean }): ReactNode {
  const height = 2 * FLAT + count * THICK;
  return (
    <svg
      className="sp-podium__slabs"
      viewBox={`${-HALF} 0 ${2 * HALF} ${height}`}
      data-first={first || undefined}
      aria-hidden="true"
    >
      {Array.from({ length: count }, (_, slab) => {
        const y = FLAT + slab * THICK;
        return (
          <g key={slab} className="sp-podium__slab">
            <path
              className="sp-face-left"
              d={`M${-HALF} ${y} 0 ${y + FLAT} 0 ${y + FLAT + THICK} ${-HALF} ${y + THICK}Z`}
            />
            <path
              className="sp-face-right"
              d={`M${HALF} ${y} 0 ${y + FLAT} 0 ${y + FLAT + THICK} ${HALF} ${y + THICK}Z`}
            />
          </g>
        );
      })}
      <path className="sp-podium__top" d={`M0 0 ${HALF} ${FLAT} 0 ${2 * FLAT} ${-HALF} ${FLAT}Z`} />
      <text className="sp-podium__rank" x="0" y={FLAT + 9} textAnchor="middle">
        {rank}
      </text>
    </svg>
  );
}
