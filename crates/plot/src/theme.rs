//! Colours: those of Okabe and Ito, which people with any colour vision can tell apart.

const ORANGE: &str = "#E69F00";
const SKY: &str = "#56B4E9";
const GREEN: &str = "#009E73";
const YELLOW: &str = "#F0E442";
const BLUE: &str = "#0072B2";
const VERMILLION: &str = "#D55E00";
const PURPLE: &str = "#CC79A7";

#[derive(Debug, Clone, Copy)]
pub struct Theme {
    pub paper: &'static str,
    pub ink: &'static str,
    pub muted: &'static str,
    pub grid: &'static str,
    /// Behind events that are not used.
    pub shade: &'static str,
    pub rss: &'static str,
    pub live: &'static str,
    pub mapped: &'static str,
    /// What the rate was measured on, where it is none of the sizes.
    pub basis: &'static str,
    /// The stacks that leak most, in turn.
    pub guilty: [&'static str; 3],
    pub rest: &'static str,
    pub metadata: &'static str,
    pub slack: &'static str,
    pub unwritten: &'static str,
    pub thread_stacks: &'static str,
    pub files: &'static str,
    paper_rgb: Rgb,
}

type Rgb = [f64; 3];
const RISE_RGB: Rgb = [213.0, 94.0, 0.0];
const FALL_RGB: Rgb = [0.0, 114.0, 178.0];

pub const LIGHT: Theme = Theme {
    paper: "#FFFFFF",
    ink: "#1A1A1A",
    muted: "#555555",
    grid: "#E2E2E2",
    shade: "#F0F0F0",
    rss: BLUE,
    live: GREEN,
    mapped: PURPLE,
    basis: VERMILLION,
    guilty: [VERMILLION, ORANGE, PURPLE],
    rest: "#A6A6A6",
    metadata: SKY,
    slack: ORANGE,
    unwritten: YELLOW,
    thread_stacks: VERMILLION,
    files: BLUE,
    paper_rgb: [255.0, 255.0, 255.0],
};

pub const DARK: Theme = Theme {
    paper: "#17191E",
    ink: "#ECECEC",
    muted: "#A9ABB0",
    grid: "#34373E",
    shade: "#22252B",
    rss: SKY,
    rest: "#7C7F86",
    paper_rgb: [23.0, 25.0, 30.0],
    ..LIGHT
};

impl Theme {
    /// From blue for what falls over the colour of the paper to vermillion for what
    /// rises; `share` is from -1 to 1.
    pub fn diverging(&self, share: f64) -> String {
        let share = if share.is_nan() {
            0.0
        } else {
            share.clamp(-1.0, 1.0)
        };
        let end = if share < 0.0 { FALL_RGB } else { RISE_RGB };
        let part = |channel: usize| {
            let (from, to) = (self.paper_rgb[channel], end[channel]);
            (from + (to - from) * share.abs()).round() as u8
        };
        format!("#{:02X}{:02X}{:02X}", part(0), part(1), part(2))
    }
}

/// Black or white, whichever is read more easily on a colour.
pub fn ink_on(colour: &str) -> &'static str {
    let channel = |at: usize| {
        let digits = colour.get(at..at + 2).unwrap_or("00");
        f64::from(u8::from_str_radix(digits, 16).unwrap_or(0))
    };
    let brightness = 0.299 * channel(1) + 0.587 * channel(3) + 0.114 * channel(5);
    if brightness > 110.0 {
        "#000000"
    } else {
        "#FFFFFF"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_diverges_from_the_paper() {
        assert_eq!(LIGHT.diverging(0.0), LIGHT.paper);
        assert_eq!(DARK.diverging(0.0), DARK.paper);
        assert_eq!(LIGHT.diverging(1.0), VERMILLION);
        assert_eq!(LIGHT.diverging(-7.0), BLUE);
        assert_eq!(LIGHT.diverging(-0.5), "#80B9D9");
        assert_eq!(LIGHT.diverging(f64::NAN), LIGHT.paper);
    }

    #[test]
    fn ink_can_be_read_on_any_colour() {
        assert_eq!(ink_on(YELLOW), "#000000");
        assert_eq!(ink_on(BLUE), "#FFFFFF");
        assert_eq!(ink_on("nonsense"), "#FFFFFF");
    }
}
