import { topFrames } from './cpu-profile.ts';

const node = (id: number, functionName: string, url = '') => ({ id, callFrame: { functionName, url, lineNumber: 0 } });

describe('frames of a CPU profile', () => {
  it('are summed by function, most expensive first, without idle time', () => {
    const profile = {
      nodes: [
        node(1, '(idle)'),
        node(2, 'post', 'file:///a/undici/client.js'),
        node(3, 'post', 'file:///a/undici/client.js'),
        node(4, 'seal'),
      ],
      samples: [1, 2, 4, 3, 1],
      timeDeltas: [900, 20, 50, 40, 100],
    };
    expect(topFrames(profile, 10)).toEqual([
      { name: 'post (undici/client.js:1)', share: 60 / 110 },
      { name: 'seal', share: 50 / 110 },
    ]);
    expect(topFrames(profile, 1)).toHaveLength(1);
  });
});
