import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DRAINED_REST_MS,
  TICKET_BEGIN_MS,
  TICKET_LEASE_MS,
} from "../../src/contract/job-limits.ts";
import {
  beginTicket,
  type Dispatch,
  emptyDispatch,
  endTicket,
  enterJob,
  expireTickets,
  handOut,
  leaveJob,
  nextDispatch,
  renewTicket,
} from "../../src/core/dispatch.ts";
import { numRuns } from "./property-runs.ts";

const NOW = 1_000_000;
const WINDOW = 4;

let ids = 0;
function hand(dispatch: Dispatch, now = NOW, window = WINDOW) {
  const newId = () => {
    ids += 1;
    return `ticket-${ids}`;
  };
  return handOut(dispatch, { window, newId }, now);
}

function jobsOf(dispatch: Dispatch): string[] {
  return [...dispatch.tickets.values()].map((ticket) => ticket.jobId).sort();
}

function begun(dispatch: Dispatch, now = NOW) {
  const tickets = hand(dispatch, now);
  for (const { id } of tickets) beginTicket(dispatch, id, now);
  return tickets;
}

function renew(dispatch: Dispatch, id: string, now = NOW, waits = false) {
  return renewTicket(dispatch, id, { window: WINDOW, waits }, now);
}

describe("turns", () => {
  test("of one Job fill the window", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    expect(hand(dispatch)).toHaveLength(WINDOW);
    expect(hand(dispatch)).toHaveLength(0);
  });

  test("go to people alike, however many Jobs each has", () => {
    const dispatch = emptyDispatch();
    for (const job of ["a1", "a2", "a3", "a4"]) enterJob(dispatch, job, "ada");
    enterJob(dispatch, "b", "bob");
    hand(dispatch);
    expect(jobsOf(dispatch)).toEqual(["a1", "a2", "b", "b"]);
  });

  test("go round among a person's Jobs, those that wait longest first", () => {
    const dispatch = emptyDispatch();
    for (const job of ["a1", "a2", "a3"]) enterJob(dispatch, job, "ada");
    const [first, second] = hand(dispatch, NOW, 2);
    expect([first?.jobId, second?.jobId]).toEqual(["a1", "a2"]);
    endTicket(dispatch, first?.id ?? "", false, NOW);
    expect(hand(dispatch, NOW, 2)[0]?.jobId).toBe("a3");
  });

  test("are not given to a Job that left, or rests", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    enterJob(dispatch, "b", "bob");
    leaveJob(dispatch, "b");
    const [ticket] = begun(dispatch);
    endTicket(dispatch, ticket?.id ?? "", true, NOW);
    expect(hand(dispatch)).toEqual([]);
    expect(nextDispatch(dispatch, WINDOW, NOW)).toBe(NOW + DRAINED_REST_MS);
    expect(hand(dispatch, NOW + DRAINED_REST_MS)).toHaveLength(1);
  });

  test("are given again at once to a Job that rests and says that it has work", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const [ticket] = begun(dispatch);
    endTicket(dispatch, ticket?.id ?? "", true, NOW);
    enterJob(dispatch, "a", "ada");
    expect(hand(dispatch)).toHaveLength(1);
  });
});

describe("a ticket", () => {
  test("begins once", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const [ticket] = hand(dispatch);
    expect(beginTicket(dispatch, ticket?.id ?? "", NOW)).toBe(true);
    expect(beginTicket(dispatch, ticket?.id ?? "", NOW)).toBe(false);
    expect(beginTicket(dispatch, "unknown", NOW)).toBe(false);
  });

  test("that nobody begins is over, and its turn given again", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const [ticket] = hand(dispatch, NOW, 1);
    expect(nextDispatch(dispatch, 1, NOW)).toBe(NOW + TICKET_BEGIN_MS);
    expect(beginTicket(dispatch, ticket?.id ?? "", NOW + TICKET_BEGIN_MS)).toBe(false);
    expect(expireTickets(dispatch, NOW + TICKET_BEGIN_MS)).toEqual([ticket]);
    expect(hand(dispatch, NOW + TICKET_BEGIN_MS, 1)).toHaveLength(1);
  });

  test("lives as long as it is renewed", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const [ticket] = begun(dispatch);
    const id = ticket?.id ?? "";
    expect(renew(dispatch, id, NOW + TICKET_LEASE_MS - 1)).toBe(true);
    expireTickets(dispatch, NOW + TICKET_LEASE_MS);
    expect(renew(dispatch, id, NOW + TICKET_LEASE_MS)).toBe(true);
    expireTickets(dispatch, NOW + 2 * TICKET_LEASE_MS);
    expect(renew(dispatch, id, NOW + 2 * TICKET_LEASE_MS)).toBe(false);
  });

  test("claims no more while the Model waits, or when its Job has left", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const [ticket] = begun(dispatch);
    const id = ticket?.id ?? "";
    expect(renew(dispatch, id, NOW, true)).toBe(false);
    expect(renew(dispatch, id)).toBe(true);
    leaveJob(dispatch, "a");
    expect(renew(dispatch, id)).toBe(false);
  });
});

describe("giving way", () => {
  test("is asked of as many as it takes for equal shares, and of no more", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const tickets = begun(dispatch);
    enterJob(dispatch, "b", "bob");
    const goOn = tickets.map(({ id }) => renew(dispatch, id));
    expect(goOn).toEqual([false, false, true, true]);
    expect(tickets.map(({ id }) => renew(dispatch, id))).toEqual(goOn);
  });

  test("is not asked while there is room, nor for a Job that rests", () => {
    const dispatch = emptyDispatch();
    enterJob(dispatch, "a", "ada");
    const [first, second] = begun(dispatch);
    for (const { id } of [...dispatch.tickets.values()].slice(2)) {
      endTicket(dispatch, id, false, NOW);
    }
    enterJob(dispatch, "b", "bob");
    expect(renew(dispatch, first?.id ?? "")).toBe(true);
    const given = hand(dispatch);
    expect(given.map((ticket) => ticket.jobId)).toEqual(["b", "b"]);
    for (const { id } of given) {
      beginTicket(dispatch, id, NOW);
      endTicket(dispatch, id, true, NOW);
    }
    expect(renew(dispatch, second?.id ?? "")).toBe(true);
  });
});

describe("after anything in any order", () => {
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom("enter", "leave", "hand", "begin", "renew", "end", "drain", "pass"),
      pick: fc.nat({ max: 11 }),
    }),
    { maxLength: 120, size: "max" },
  );

  test("no more tickets are out than the window, and shares of who wants turns even out", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const dispatch = emptyDispatch();
        let now = NOW;
        for (const { what, pick } of list) {
          const tickets = [...dispatch.tickets.values()];
          const ticket = tickets[pick % Math.max(1, tickets.length)];
          if (what === "enter") enterJob(dispatch, `job-${pick}`, `person-${pick % 3}`);
          if (what === "leave") leaveJob(dispatch, `job-${pick}`);
          if (what === "hand") hand(dispatch, now);
          if (what === "begin" && ticket) beginTicket(dispatch, ticket.id, now);
          if (what === "renew" && ticket) renew(dispatch, ticket.id, now);
          if (what === "end" && ticket) endTicket(dispatch, ticket.id, false, now);
          if (what === "drain" && ticket) endTicket(dispatch, ticket.id, true, now);
          if (what === "pass") now += pick * 3_000;
          expireTickets(dispatch, now);
          expect(dispatch.tickets.size).toBeLessThanOrEqual(WINDOW);
        }
        evenOut(dispatch, now + DRAINED_REST_MS);
      }),
      { numRuns },
    );
  });
});

/** Consumers that work on and give way as they are told. */
function evenOut(dispatch: Dispatch, now: number): void {
  for (let round = 0; round < 2 * WINDOW; round += 1) {
    hand(dispatch, now);
    for (const { id } of [...dispatch.tickets.values()]) {
      beginTicket(dispatch, id, now);
      if (!renew(dispatch, id, now)) endTicket(dispatch, id, false, now);
    }
  }
  hand(dispatch, now);
  const people = new Map([...dispatch.jobs.values()].map((job) => [job.personId, 0]));
  for (const { personId } of dispatch.tickets.values()) {
    people.set(personId, (people.get(personId) ?? 0) + 1);
  }
  if (people.size === 0) return;
  expect(dispatch.tickets.size).toBe(WINDOW);
  expect(Math.max(...people.values()) - Math.min(...people.values())).toBeLessThanOrEqual(1);
}
