// The stacks to look at first, as tests read them.

/** The head's own, not those of a range. */
const LIST = ".head .suspects";

export const suspect = (visit, place = 0) => visit.page.locator(`${LIST} .suspect`).nth(place);

/** Presses one of the actions of the suspect that is open. */
export async function follow(visit, action) {
  await visit.page.locator(`${LIST} .suspect-open`).getByRole("button", { name: action, exact: true }).click();
}

/** Those that are shown, each with its function, place and numbers. */
export function suspectsOf(visit) {
  return visit.page.$$eval(`${LIST} .suspect`, (rows) =>
    rows.map((row) => {
      const text = (selector) => row.querySelector(selector)?.textContent ?? null;
      const amount = row.querySelector(".suspect-amount [data-value]");
      return {
        stack: Number(row.dataset.key), kind: row.dataset.kind, function: text(".suspect-name strong"), place: text(".suspect-place"),
        amount: amount ? Number(amount.dataset.value) : null, share: Number(row.querySelector("[data-share]")?.dataset.share ?? NaN),
        isOpen: row.classList.contains("suspect-open"),
      };
    }),
  );
}
