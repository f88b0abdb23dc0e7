/* cells.pml - model of a partition that moves between two cells (P-1.12 of the settlement protocol).
 *
 * One partition of TransactionTerminal, the dispatchers D of cell 0 and cell 1, two operators whose commands overlap, and a
 * publisher that may publish a payment again. Any process may wait between two steps while the others go on.
 *
 * Durable state (survives every crash)                   Volatile state (of D, lost in a crash)
 *   from until step   range of a cell (its D database)     seen            entries of the map that it has read
 *   has               payments that a cell has taken       v_until v_step  range of its cell, as it stood after that
 *   committed         offset of its consumer group         first upto      batch
 *   m_cell m_from     the map (notification-config)        known asked     answer of the former cell, and the range asked for
 *   event             the log of the partition
 */
/* How to check: as settlement.pml, safety and the claim `ends` with -DEVENTS=2; `npm run prove -- model` does it.
 * Results: safety 1,697,821 states, liveness 173,221, 0 errors, exhaustive; every guard taken out gives a counterexample.
 */
#ifndef EVENTS
#define EVENTS 3      /* of one payment or more */
#endif
#define COMMANDS 2    /* that may stop; one more finishes what they leave */
#define CRASHES 1     /* of each cell, at any step */
/* Guards that can be taken out by -D, one at a time, to see the checker fail */
#ifndef NO_END_IN_INTAKE      /* the old cell takes events at and above the end of its range */
#define NO_END_IN_INTAKE 0
#endif
#ifndef OFFSET_BEFORE_LOCK    /* the end of the log is read before intake is locked out */
#define OFFSET_BEFORE_LOCK 0
#endif
#ifndef NEW_CELL_BELOW_START  /* a new cell reads and takes events below its first offset */
#define NEW_CELL_BELOW_START 0
#endif
#ifndef OLD_MAP               /* an entry is appended whatever the last one is */
#define OLD_MAP 0
#endif
#ifndef NO_STEP               /* an insert does not name the range for which the former cell was asked */
#define NO_STEP 0
#endif
#ifndef NO_FORMER_CELL        /* nobody asks the former cell about an event that is published again */
#define NO_FORMER_CELL 0
#endif
#ifndef UNDRAINED_ANSWER      /* a former cell answers before it has taken all events below its end */
#define UNDRAINED_ANSWER 0
#endif
#ifndef OLD_VIEW              /* D asks the former cells of a map that is older than the range of its cell */
#define OLD_VIEW 0
#endif
#ifndef BEGIN_UNDRAINED       /* a cell takes a partition again before it has read its former range (liveness) */
#define BEGIN_UNDRAINED 0
#endif
#ifndef PAST_END              /* the old cell commits offsets beyond its end (liveness) */
#define PAST_END 0
#endif

#define OPEN     15             /* a range without an end */
#define ENTRIES  (COMMANDS + 2)
#define BIT(x)   (1 << (x))
#define MAX(x, y) ((x) > (y) -> (x) : (y))
#define MIN(x, y) ((x) < (y) -> (x) : (y))

byte event[EVENTS], published, payments;               /* the payments, numbered from 0 */
byte m_cell[ENTRIES], m_from[ENTRIES], entries = 1;     /* entry 0: cell 0 has the partition from offset 0 on */
byte from[2], until[2] = OPEN, step[2], committed[2];   /* the database of a new cell is made for one that takes all */
byte has[2];                                            /* a bit for each payment */
byte commands = COMMANDS, running, crashes[2] = CRASHES;
hidden byte i, j, k, at, again, ended;                  /* within one step */

/* Only the cell takes a payment that the map names for its first event (P-I15) */
inline holds() {
  i = 0;
  do
  :: i < published ->
       j = 0; do :: event[j] != event[i] -> j++ :: else -> break od;
       k = entries - 1; do :: m_from[k] > j -> k-- :: else -> break od;
       assert(!(has[1 - m_cell[k]] & BIT(event[i])));
       i++
  :: else -> break
  od
}

/* ------------------------------------------------------------- dispatcher of a cell; it follows the map also while a batch is under way */
#define OTHER     (1 - me)
#define BELOW     m_from[v_step]
#define ANSWERS   (from[OTHER] >= BELOW || from[OTHER] == until[OTHER] || committed[OTHER] >= MIN(BELOW, until[OTHER]))
#define IS_READ   (from[me] == until[me] || committed[me] >= until[me])
#define BEGINS(n) (m_cell[n - 1] == me && n - 1 > step[me] && until[me] != OPEN && m_from[n - 1] >= until[me] && (IS_READ || BEGIN_UNDRAINED))
#define CHANGED   (v_step != step[me] || v_until != until[me] || BEGINS(seen))
#define POSITION  MAX(committed[me], (NEW_CELL_BELOW_START -> 0 : BELOW))
#define CAN_ASK   (!former || ANSWERS || UNDRAINED_ANSWER) && (seen > v_step || OLD_VIEW)
#define TAKES     (asked == step[me] || NO_STEP) && (at >= from[me] || NEW_CELL_BELOW_START) && \
                  (at < until[me] || (NO_END_IN_INTAKE && from[me] != until[me]))
#define FORGET    first = 0; upto = 0; known = 0; asked = 0
#define CRASH     crashes[me]--; seen = 0; v_until = 0; v_step = 0; former = 0; FORGET; goto UP

/* It reads the map, perhaps an old one, and begins what this gives to its cell. */
inline follow() {
  if :: seen < entries -> select(i : seen + 1 .. entries) :: seen > 0 && CHANGED -> i = seen fi;
  if :: me == 1 && step[me] == 0 && until[me] == OPEN -> until[me] = 0 :: else fi;
  if :: BEGINS(i) -> from[me] = m_from[i - 1]; until[me] = OPEN; step[me] = i - 1 :: else fi;
  seen = i; v_until = until[me]; v_step = step[me];
  j = 0; do :: j < MIN(v_step, seen) && m_cell[j] == me -> j++ :: else -> break od;
  former = j < MIN(v_step, seen) && !NO_FORMER_CELL
}

/* A batch, and which of its payments the former cell has. It will have no more of them. */
inline ask() {
  first = POSITION; asked = v_step;
  select(upto : first + 1 .. MIN(published, v_until));
  at = MAX(first, BELOW);
  do :: former && at < upto -> known = known | (has[OTHER] & BIT(event[at])); at++ :: else -> break od
}

/* One statement. Then the range says what a refusal means. */
inline insert() {
  at = first; again = 0; ended = 0;
  do
  :: at < upto ->
       if
       :: (known | has[me]) & BIT(event[at])
       :: else ->
            if
            :: TAKES -> has[me] = has[me] | BIT(event[at])
            :: else -> again = again || (at >= from[me] && at < until[me]); ended = ended || (at >= from[me] && at >= until[me])
            fi
       fi;
       at++
  :: else -> break
  od;
  holds()
}

proctype Dispatcher(byte me)
{
  byte seen, v_until, v_step;                               /* seen 0: it has read no map yet */
  bool former;                                              /* its map names the other cell before its range */
  byte first, upto, known, asked;
UP:
end:
  do
  :: atomic { seen < entries || (seen > 0 && CHANGED) -> follow() }
  :: atomic { seen > 0 && crashes[me] > 0 -> CRASH }
  :: atomic { seen > 0 && POSITION < MIN(published, v_until) && CAN_ASK -> ask(); break }
  od;
  do
  :: atomic { seen < entries || CHANGED -> follow() }
  :: atomic { crashes[me] > 0 -> CRASH }
  :: atomic { true -> insert();
       if
       :: crashes[me] > 0 -> CRASH                          /* taken, and not committed */
       :: again -> v_until = 0                              /* the range has just begun: the batch comes again when D has seen it */
       :: !again && ended && !PAST_END -> committed[me] = MAX(committed[me], until[me]); v_until = until[me]
       :: !again && (!ended || PAST_END) -> committed[me] = MAX(committed[me], upto)
       fi;
       FORGET; goto UP }
  od
}

/* ------------------------------------------------------------- operators: `paycode cells move`, which stops anywhere */
#define LAST   m_cell[last]
#define NEWEST m_cell[entries - 1]
#define STOP   running--; last = 0; cell = 0; stop = 0; goto READY
#define APPEND m_cell[entries] = cell; m_from[entries] = stop; entries++; holds()

proctype Operator(bool second)
{
  byte last, cell, stop;
READY:
end:
  do
  :: atomic { commands > 0 && (!second || running > 0) ->
       commands--; running++; last = entries - 1; select(cell : 0 .. 1); stop = (OFFSET_BEFORE_LOCK -> published : 0); break }
  :: atomic { !second && commands == 0 && running == 0 && step[NEWEST] == entries - 1 && until[NEWEST] != OPEN ->
       stop = until[NEWEST]; select(cell : 0 .. 1); APPEND; cell = 0; stop = 0 }             /* what stopped is finished, or goes back */
  od;
  if
  :: atomic { true -> STOP }
  :: atomic { step[LAST] != last || (LAST == cell && until[LAST] == OPEN) -> STOP }          /* refused; it is there already */
  :: atomic { step[LAST] == last && (LAST != cell || until[LAST] != OPEN) ->                 /* one transaction of the old cell */
       if :: until[LAST] != OPEN -> stop = until[LAST] :: until[LAST] == OPEN && !OFFSET_BEFORE_LOCK -> stop = published :: else fi;
       until[LAST] = stop }
  fi;
  if
  :: atomic { true -> STOP }
  :: atomic { entries != last + 1 && !OLD_MAP -> STOP }                                      /* refused */
  :: atomic { entries == last + 1 || OLD_MAP -> APPEND; STOP }
  fi
}

/* ------------------------------------------------------------- the log: new payments, and some that are published again */
active proctype Publisher() {
  do
  :: atomic { published < EVENTS -> event[published] = payments; payments++; published++ }
  :: atomic { published < EVENTS && payments > 0 -> select(i : 0 .. payments - 1); event[published] = i; published++ }
  :: published == EVENTS -> break
  od
}

init { atomic { run Dispatcher(0); run Dispatcher(1); run Operator(0); run Operator(1) } }

ltl ends { <> (published == EVENTS && (has[0] | has[1]) == BIT(payments) - 1) }      /* wherever commands stop, also after the partition went back */
