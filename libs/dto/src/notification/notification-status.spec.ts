import fc from 'fast-check';
import {
  isNotificationStatus,
  isTerminalTxState,
  knownTerminalTxStates,
  namedNotificationStatuses,
  needsOperatorAlert,
  notificationStatusOf,
} from './notification-status';

describe('TxState to NotificationStatus', () => {
  it.each([
    ['SUCCESS', 'SUCCESS'],
    ['END_BANK_NON_00', 'BANK_REJECTED'],
    ['END_BANK_DECLINE', 'BANK_REJECTED'],
    ['END_INSUFFICIENT_FUNDS_OR_OVER_CREDIT_LIMIT', 'BANK_REJECTED'],
    ['BANK_REJECTED', 'BANK_REJECTED'],
    ['END_BANK_OFFLINE', 'BANK_OFFLINE'],
    ['END_BANK_ERROR', 'BANK_OFFLINE'],
    ['END_BANK_EXPIRED', 'BANK_OFFLINE'],
    ['END_CLIENT_CANCEL', 'CLIENT_CANCEL'],
    ['END_CLIENT_TIMEOUT', 'CLIENT_TIMEOUT'],
    ['END_SYSTEM_ERROR', 'SYSTEM_ERROR'],
    ['END_SYSTEM_FAULT', 'SYSTEM_ERROR'],
    ['END_TIME_OUT_IN_QUEUE', 'SYSTEM_ERROR'],
    ['END_MASTERPASS_ERROR', 'SYSTEM_ERROR'],
    ['END_INVALID_AMOUNT', 'TRANSACTION_REJECTED'],
    ['END_VALIDATION_FAILED', 'TRANSACTION_REJECTED'],
    ['END_BRE_REJECTED', 'TRANSACTION_REJECTED'],
    ['END_LIMIT_FAILED', 'LIMIT_FAILED'],
    ['END_NOTALLOW_BIN_CLASSIFICATION', 'BIN_CLASSIFICATION_NOT_ALLOWED'],
    ['END_REVERSED', 'REVERSED'],
    ['END_REFUNDED', 'REFUNDED'],
    ['END_REVERSAL_FAILED', 'FAILED'],
    ['END_REFUND_FAILED', 'FAILED'],
    ['END_TIMEOUT_ADD_CARD', 'TIMEOUT_ADD_CARD'],
    ['END_TIMEOUT_PURCHASE', 'TIMEOUT_PURCHASE'],
    ['END_SOMETHING_NEW', 'FAILED'],
  ])('%s is notified as %s (R-3.3-1)', (txState, status) => {
    expect(notificationStatusOf(txState)).toBe(status);
    expect(isTerminalTxState(txState)).toBe(true);
  });

  it.each(['START_PURCHASE', 'PROCESS_BANK', 'OFF_TO_BANK', 'RECEIVED_BANK', 'PENDING', 'N/A', '', 'toString', '__proto__'])(
    'a transient state has no notification: %j',
    txState => {
      expect(notificationStatusOf(txState)).toBeNull();
      expect(isTerminalTxState(txState)).toBe(false);
    },
  );

  const anyState = fc.oneof(
    fc.constantFrom(...knownTerminalTxStates),
    fc.stringMatching(/^(END_|END_TIMEOUT_|START_|PROCESS_|OFF_TO_|RECEIVED_)[A-Z0-9_]{0,60}$/),
    fc.string(),
  );

  it('whatever the state, a merchant gets a NotificationStatus or nothing, never a TxState (R-3.2-1, R-3.3-2)', () => {
    fc.assert(
      fc.property(anyState, txState => {
        const status = notificationStatusOf(txState);
        expect(status === null || isNotificationStatus(status)).toBe(true);
        expect(String(status)).not.toMatch(/^(END|START|PROCESS|OFF_TO|RECEIVED)_/);
      }),
    );
  });

  it('only SUCCESS maps to SUCCESS; an unknown END_* maps to FAILED (R-3.2-4)', () => {
    const isSuccess = (txState: string) => notificationStatusOf(txState) === 'SUCCESS';
    fc.assert(fc.property(anyState, txState => expect(isSuccess(txState)).toBe(txState === 'SUCCESS')));
    fc.assert(
      fc.property(fc.stringMatching(/^END_X[A-Z0-9_]{1,40}$/), txState => expect(notificationStatusOf(txState)).toBe('FAILED')),
    );
  });

  it('every END_* is terminal and END_TIMEOUT_<X> keeps its step name, unless the name is no TIMEOUT_*', () => {
    fc.assert(fc.property(fc.stringMatching(/^END_[A-Z_]{1,40}$/), isTerminalTxState));
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Z0-9_]{1,48}$/),
        step => notificationStatusOf(`END_TIMEOUT_${step}`) === `TIMEOUT_${step}`,
      ),
    );
    expect(notificationStatusOf('END_TIMEOUT_')).toBe('FAILED');
    expect(notificationStatusOf(`END_TIMEOUT_${'X'.repeat(49)}`)).toBe('FAILED');
    expect(notificationStatusOf('END_TIMEOUT_lower')).toBe('FAILED');
  });

  it('there are 19 named values, one of them CARD_EXPRIY_NOT_ALLOWED (R-3.2-1, R-3.2-2)', () => {
    expect(namedNotificationStatuses).toHaveLength(19);
    expect(isNotificationStatus('CARD_EXPRIY_NOT_ALLOWED')).toBe(true);
    expect(isNotificationStatus('CARD_EXPIRY_NOT_ALLOWED')).toBe(false);
    expect([['SUCCESS'], ['TIMEOUT_PIN'], null, 0].filter(isNotificationStatus)).toEqual([]);
  });

  it('a core can announce each of the 19: END_ and its name, SUCCESS by itself (R-3.2-1, A-80)', () => {
    const told = namedNotificationStatuses.map(status => notificationStatusOf(status === 'SUCCESS' ? status : `END_${status}`));
    expect(told).toEqual(namedNotificationStatuses);
    expect(notificationStatusOf('END_SUCCESS')).toBe('FAILED');
  });

  it('a state that may leave money in the wrong place alerts an operator', () => {
    expect(knownTerminalTxStates.filter(needsOperatorAlert)).toEqual(['END_REVERSAL_FAILED', 'END_REFUND_FAILED']);
  });
});
