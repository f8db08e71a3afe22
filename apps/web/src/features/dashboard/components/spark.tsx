import classes from "./dashboard.module.css";

const WIDTH = 84;
const HEIGHT = 26;

/** A line without axes: which way it goes. The figures are in the chart below. */
export function Spark({ values }: { values: readonly (number | null)[] }) {
  const known = values.filter((value) => value !== null);
  const most = Math.max(...known, 0);
  if (known.length < 2 || most === 0) return <span style={{ width: WIDTH, height: HEIGHT }} />;
  const step = WIDTH / (values.length - 1);
  const path = values
    .flatMap((value, index) => (value === null ? [] : [`${(index * step).toFixed(1)} ${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`]))
    .map((point, index) => `${index === 0 ? "M" : "L"}${point}`)
    .join("");
  return (
    <svg className={classes.spark} width={WIDTH} height={HEIGHT} aria-hidden>
      <path d={path} />
    </svg>
  );
}
