import { describe, expect, test } from 'bun:test';
import type { NodeCapacity } from './ports.ts';
import { allocatable, chooseNode, countFits, fitsMore, freeOf, eligibleNodes } from './policy.ts';

const nodeWith = (facts: Partial<NodeCapacity> = {}): NodeCapacity => ({
  panel: 'p',
  node: 'a',
  name: 'a',
  location: '1',
  tags: [],
  public: true,
  maintenance: false,
  memory: 1000,
  disk: 1000,
  memoryOverallocate: 0,
  diskOverallocate: 0,
  memoryUsed: 0,
  diskUsed: 0,
  memoryReserved: 0,
  diskReserved: 0,
  freeAllocations: 100,
  ...facts,
});
const size = { memory: 100, disk: 100, ports: 1 };

describe('the capacity of a node', () => {
  test('over-allocation is percent on top, and -1 and a node of no size have no limit', () => {
    expect([
      allocatable(1000, 0),
      allocatable(1000, 50),
      allocatable(999, 10),
      allocatable(1000, -1),
      allocatable(0, 0),
    ]).toEqual([1000, 1500, 1098, Infinity, Infinity]);
  });

  test('resources in use and promised ones are both gone', () => {
    expect(freeOf(nodeWith({ memoryUsed: 300, memoryReserved: 200, diskUsed: 100 }))).toEqual({
      memory: 500,
      disk: 900,
      ports: 100,
    });
  });

  test('the scarcest resource decides how many fit, and a node that is over its limit has capacity for none', () => {
    expect(countFits(nodeWith(), size)).toBe(10);
    expect(countFits(nodeWith({ diskUsed: 850 }), size)).toBe(1);
    expect(countFits(nodeWith({ freeAllocations: 5 }), { ...size, ports: 2 })).toBe(2);
    expect(countFits(nodeWith({ memoryUsed: 2000 }), size)).toBe(0);
    expect(countFits(nodeWith({ memoryOverallocate: -1, diskOverallocate: -1, freeAllocations: 7 }), size)).toBe(7);
  });

  test('T22 a change is compared with what grows only, also on a node that is over its limit', () => {
    const full = nodeWith({ memoryUsed: 5000, freeAllocations: 0 });
    expect(fitsMore(full, { memory: 0, disk: 10, ports: 0 })).toBe(true);
    expect(fitsMore(full, { memory: -100, disk: 0, ports: -1 })).toBe(true);
    expect(fitsMore(full, { memory: 1, disk: 0, ports: 0 })).toBe(false);
    expect(fitsMore(full, { memory: 0, disk: 0, ports: 1 })).toBe(false);
  });
});

describe('choosing a node', () => {
  test('nodes are chosen by location, or by tag where nodes have no location, or any of the panel', () => {
    const nodes = [
      nodeWith(),
      nodeWith({ node: 'b', location: '2' }),
      nodeWith({ node: 'c', location: null, tags: ['1', 'eu'] }),
      nodeWith({ node: 'd', panel: 'q' }),
      nodeWith({ node: 'e', maintenance: true }),
      nodeWith({ node: 'f', public: false }),
    ];
    const names = (panelLocation: string | null) =>
      eligibleNodes({ panel: 'p', panelLocation }, nodes).map(({ node }) => node);
    expect([names('1'), names('2'), names('eu'), names(null), names('10')]).toEqual([
      ['a', 'c'],
      ['b'],
      ['c'],
      ['a', 'b', 'c'],
      [],
    ]);
  });

  test('spread takes the largest free share, not the largest machine, and pack the smallest that fits', () => {
    const nodes = [
      nodeWith({ node: 'large', memory: 10_000, disk: 10_000, memoryUsed: 6000 }),
      nodeWith({ node: 'small' }),
      nodeWith({ node: 'full', memoryUsed: 950 }),
    ];
    expect(chooseNode(nodes, size, 'spread')?.node).toBe('small');
    expect(chooseNode(nodes, size, 'pack')?.node).toBe('large');
    expect(chooseNode(nodes, { ...size, memory: 50 }, 'pack')?.node).toBe('full');
    expect(chooseNode(nodes, { ...size, memory: 5000 }, 'spread')).toBeNull();
  });

  test('nodes without a limit are alike, so the one with less on it is next; the same facts give the same node', () => {
    const free = { memoryOver: -1, diskOver: -1 };
    const nodes = [
      nodeWith({ node: 'b', ...free, memoryUsed: 500 }),
      nodeWith({ node: 'c', ...free }),
      nodeWith({ node: 'a', ...free, memoryReserved: 200 }),
    ];
    expect(chooseNode(nodes, size, 'spread')?.node).toBe('c');
    expect(chooseNode(nodes, size, 'pack')?.node).toBe('b');
    expect(chooseNode([nodeWith({ node: 'b' }), nodeWith({ node: 'a' })], size, 'spread')?.node).toBe('a');
  });
});
