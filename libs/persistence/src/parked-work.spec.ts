import { register } from 'prom-client';
import { countParked } from './parked-work';

describe('work that was parked', () => {
  it('is counted by step, and a step that never failed stands at 0, so that its first item is an increase (T-29)', async () => {
    countParked('settle');
    const { values } = await register.getSingleMetric('paycode_persistence_work_parked_total')!.get();
    expect(Object.fromEntries(values.map(({ labels, value }) => [labels['step'], value]))).toEqual({
      arm: 0,
      close: 0,
      decide: 0,
      notice: 0,
      outbox: 0,
      send: 0,
      settle: 1,
      verdict: 0,
    });
  });
});
