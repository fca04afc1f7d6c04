// Whose turn it is to work on a Job at one Model: fairly between people, then between a person's Jobs.
// A ticket is leave for one turn. No I/O, no clock, no randomness: `now` and ids are passed in, and
// every function is deterministic.
import { DRAINED_REST_MS, TICKET_BEGIN_MS, TICKET_LEASE_MS } from "../contract/job-limits.ts";

export interface DispatchedJob {
  jobId: string;
  personId: string;
  /** Its place among Jobs that have as many turns. Grows with each Job that enters, and each turn. */
  since: number;
  /** Its last turn found nothing to claim: it gets none until then. */
  restUntil: number;
}

export interface Ticket {
  id: string;
  jobId: string;
  personId: string;
  begun: boolean;
  /** Was told to give way, or its Job has left: it is about to end. */
  givesWay: boolean;
  until: number;
  /** When it began, or 0. */
  begunAt: number;
}

export interface Dispatch {
  jobs: Map<string, DispatchedJob>;
  tickets: Map<string, Ticket>;
  /** Counts entries and turns: `since` is one of its values. */
  clock: number;
}

export function emptyDispatch(): Dispatch {
  return { jobs: new Map(), tickets: new Map(), clock: 0 };
}

/** The Job has something to do. A Job that says so again rests no longer. */
export function enterJob(dispatch: Dispatch, jobId: string, personId: string): DispatchedJob {
  dispatch.clock += 1;
  const before = dispatch.jobs.get(jobId);
  const job = { jobId, personId, since: before?.since ?? dispatch.clock, restUntil: 0 };
  dispatch.jobs.set(jobId, job);
  return job;
}

/** Tickets that are out for it end by themselves: they find nothing to claim. */
export function leaveJob(dispatch: Dispatch, jobId: string): boolean {
  for (const ticket of dispatch.tickets.values()) {
    if (ticket.jobId === jobId) ticket.givesWay = true;
  }
  return dispatch.jobs.delete(jobId);
}

/** False for a ticket that has begun, ended or expired. */
export function beginTicket(dispatch: Dispatch, id: string, now: number): boolean {
  const ticket = dispatch.tickets.get(id);
  if (ticket === undefined || ticket.begun || ticket.until <= now) return false;
  ticket.begun = true;
  ticket.begunAt = now;
  ticket.until = now + TICKET_LEASE_MS;
  return true;
}

/** Keeps it. False: it claims no more slices, finishes those that it has, and ends. */
export function renewTicket(
  dispatch: Dispatch,
  id: string,
  { window, waits }: { window: number; waits: boolean },
  now: number,
): boolean {
  const ticket = dispatch.tickets.get(id);
  if (ticket === undefined || !ticket.begun) return false;
  ticket.until = now + TICKET_LEASE_MS;
  if (waits) return false;
  ticket.givesWay ||= mustGiveWay(dispatch, ticket, window, now);
  return !ticket.givesWay;
}

/** `drained`: it found nothing to claim. Returns the Job that rests for that. */
export function endTicket(
  dispatch: Dispatch,
  id: string,
  drained: boolean,
  now: number,
): DispatchedJob | null {
  const ticket = dispatch.tickets.get(id);
  if (ticket === undefined) return null;
  dispatch.tickets.delete(id);
  const job = dispatch.jobs.get(ticket.jobId);
  if (job === undefined || !drained) return null;
  job.restUntil = now + DRAINED_REST_MS;
  return job;
}

/** Tickets that nobody began or renewed. */
export function expireTickets(dispatch: Dispatch, now: number): Ticket[] {
  const over = [...dispatch.tickets.values()].filter((ticket) => ticket.until <= now);
  for (const ticket of over) dispatch.tickets.delete(ticket.id);
  return over;
}

/** Hands out as many turns as the window has room for. */
export function handOut(
  dispatch: Dispatch,
  { window, newId }: { window: number; newId: () => string },
  now: number,
): Ticket[] {
  const tickets: Ticket[] = [];
  const turns = turnsOf([...dispatch.tickets.values()]);
  while (dispatch.tickets.size < window) {
    const job = nextJob(dispatch, turns, now);
    if (job === null) break;
    const { jobId, personId } = job;
    const ticket: Ticket = {
      ...{ id: newId(), jobId, personId, begun: false, givesWay: false },
      ...{ until: now + TICKET_BEGIN_MS, begunAt: 0 },
    };
    dispatch.clock += 1;
    job.since = dispatch.clock;
    dispatch.tickets.set(ticket.id, ticket);
    count(turns, job);
    tickets.push(ticket);
  }
  return tickets;
}

/** When `expireTickets` or `handOut` next has something to do by itself, or null. */
export function nextDispatch(dispatch: Dispatch, window: number, now: number): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const { until } of dispatch.tickets.values()) next = Math.min(next, until);
  if (dispatch.tickets.size < window) {
    for (const { restUntil } of dispatch.jobs.values()) {
      if (restUntil > now) next = Math.min(next, restUntil);
    }
  }
  return next === Number.POSITIVE_INFINITY ? null : next;
}

interface Turns {
  ofPerson: Map<string, number>;
  ofJob: Map<string, number>;
}

function turnsOf(tickets: readonly Ticket[]): Turns {
  const turns: Turns = { ofPerson: new Map(), ofJob: new Map() };
  for (const ticket of tickets) if (!ticket.givesWay) count(turns, ticket);
  return turns;
}

function count(turns: Turns, { jobId, personId }: { jobId: string; personId: string }): void {
  turns.ofJob.set(jobId, (turns.ofJob.get(jobId) ?? 0) + 1);
  turns.ofPerson.set(personId, (turns.ofPerson.get(personId) ?? 0) + 1);
}

/** Of the person with the fewest turns the Job with the fewest, and of these what waits longest. */
function nextJob(dispatch: Dispatch, turns: Turns, now: number): DispatchedJob | null {
  let next: DispatchedJob | null = null;
  for (const job of dispatch.jobs.values()) {
    if (job.restUntil > now) continue;
    if (next === null || before(turns, job, next)) next = job;
  }
  return next;
}

function before({ ofPerson, ofJob }: Turns, job: DispatchedJob, other: DispatchedJob): boolean {
  const person = (ofPerson.get(job.personId) ?? 0) - (ofPerson.get(other.personId) ?? 0);
  if (person !== 0) return person < 0;
  const turns = (ofJob.get(job.jobId) ?? 0) - (ofJob.get(other.jobId) ?? 0);
  return turns === 0 ? job.since < other.since : turns < 0;
}

/**
 * Whether somebody else has at least two turns fewer, and is to get none of those that come free
 * anyway. One fewer would change hands for ever.
 */
function mustGiveWay(dispatch: Dispatch, ticket: Ticket, window: number, now: number): boolean {
  const staying = [...dispatch.tickets.values()].filter((one) => !one.givesWay);
  const turns = turnsOf(staying);
  for (let free = window - staying.length; free > 0; free -= 1) {
    const job = nextJob(dispatch, turns, now);
    if (job === null) break;
    count(turns, job);
  }
  const poorest = nextJob(dispatch, turns, now);
  if (poorest === null || poorest.personId === ticket.personId) return false;
  const theirs = turns.ofPerson.get(poorest.personId) ?? 0;
  return theirs + 2 <= (turns.ofPerson.get(ticket.personId) ?? 0);
}
