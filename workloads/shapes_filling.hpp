// Shapes whose growth slows down: caches on their way to full, and growth without an end
// that is ever slower.
#ifndef SHAPES_FILLING_HPP
#define SHAPES_FILLING_HPP

#include "shapes_bounded.hpp"

// A block for each key that is seen for the first time. The keys of an event are drawn
// independently; over all events `draws` times as many are drawn as there are.
class Fills : public Shape {
public:
    Fills(const Job& job, Site site, u64 keys, double draws)
        : Shape(job), site(site), draws(draws), values(keys), sizes(keys) {
        u64 bytes = random.spread(256, 2048);
        for (u64& size : sizes) end_bytes += double(size = random.between(bytes / 2, bytes * 3 / 2));
    }

    void event(u64 number) override {
        auto drawn = [&](u64 events_done) { return u64(draws * double(values.size()) * double(events_done) / double(events)); };
        for (u64 i = drawn(number) - drawn(number - 1); i > 0; i--) {
            u64 key = draw();
            if (!values[key]) values[key] = make(site, sizes[key]);
        }
    }

protected:
    virtual u64 draw() { return random.between(0, values.size() - 1); }

    Site site;
    const double draws;
    Blocks values;
    std::vector<u64> sizes;
};

// The rate falls to between a sixth and a thirteenth.
SITE(site_fills_300)
class Fills300 : public Fills {
public:
    Fills300(const Job& job) : Fills(job, site_fills_300, 250 + job.seed * 37 % 200, 1.8 + double(job.seed % 9) / 10) {}
};

SITE(site_fills_3000)
class Fills3000 : public Fills {
public:
    Fills3000(const Job& job)
        : Fills(job, site_fills_3000, 2000 + job.seed * 379 % 2000, 1.8 + double(job.seed % 9) / 10) {}
};

// The rate falls to between a half and two fifths: hundreds of keys cannot tell that from
// a constant rate.
SITE(site_fills_half)
class FillsHalf : public Fills {
public:
    FillsHalf(const Job& job)
        : Fills(job, site_fills_half, 150 + job.seed * 97 % 400, 0.7 + double(job.seed % 9) / 40) {}
};

// Some keys are asked for more often than others, by factors that are exponentially
// distributed: after t draws of each the rate has fallen to 1 / (1 + t)^2.
SITE(site_fills_unequal)
class FillsUnequal : public Fills {
public:
    FillsUnequal(const Job& job) : Fills(job, site_fills_unequal, 2000 + job.seed * 379 % 2000, 2) {
        double sum = 0;
        for (size_t key = 0; key < values.size(); key++) upto.push_back(sum -= std::log(1 - random.unit()));
    }

private:
    u64 draw() override {
        auto found = std::upper_bound(upto.begin(), upto.end(), random.unit() * upto.back());
        return std::min(u64(found - upto.begin()), u64(upto.size() - 1));
    }

    // Running sum of the factors.
    std::vector<double> upto;
};

// A block for each name that was never heard before, which is ever rarer, but never over.
class Slows : public Shape {
public:
    Slows(const Job& job, Site site, u64 heard) : Shape(job), site(site), all(heard) {}

    void event(u64 number) override {
        for (u64 end = all * number / events; heard < end; heard++) {
            if (random.unit() < chance_of_new(double(heard))) make(site, random.between(bytes / 2, bytes * 3 / 2));
        }
    }

protected:
    virtual double chance_of_new(double heard) const = 0;

private:
    Site site;
    const u64 all, bytes = random.spread(256, 2048);
    u64 heard = 0;
};

// Hoppe's urn: as the logarithm of what was heard.
SITE(site_logarithm)
class Logarithm : public Slows {
public:
    Logarithm(const Job& job) : Slows(job, site_logarithm, 12000) {}

private:
    double chance_of_new(double heard) const override { return ancestors / (ancestors + heard); }

    const double ancestors = double(random.between(400, 1200));
};

// Heaps' law of the words of a text: as the square root.
SITE(site_square_root)
class SquareRoot : public Slows {
public:
    SquareRoot(const Job& job) : Slows(job, site_square_root, 60000) {}

private:
    double chance_of_new(double heard) const override { return std::min(1.0, factor / std::sqrt(heard + 1)); }

    const double factor = double(random.between(4, 10));
};

// A cache that is flushed three to five times in the run.
SITE(site_flushed)
class Flushed : public Shape {
public:
    Flushed(const Job& job) : Shape(job), values(lookups * period) {}

    void event(u64 number) override {
        for (u64 i = 0; i < lookups; i++) {
            void*& value = values[random.between(0, values.size() - 1)];
            if (!value) value = make(site_flushed, random.between(bytes / 2, bytes));
        }
        if (number % period != phase) return;
        for (void*& value : values) {
            free(value);
            value = nullptr;
        }
    }

private:
    const u64 lookups = random.between(8, 16), bytes = random.spread(256, 2048);
    const u64 period = events / random.between(4, 6), phase = random.between(period / 2, period - 1);
    Blocks values;
};

// State for as long as a connection lasts; they come at random and last for a twelfth of
// the run on average.
SITE(site_connection)
class Connections : public Shape {
public:
    using Shape::Shape;

    void event(u64) override {
        for (size_t i = open.size(); i > 0; i--) {
            if (random.unit() * lifetime >= 1) continue;
            free(open[i - 1]);
            open[i - 1] = open.back();
            open.pop_back();
        }
        for (u64 i = random.between(0, 2 * arrivals); i > 0; i--) {
            open.push_back(make(site_connection, random.between(bytes / 2, bytes)));
        }
    }

private:
    const double lifetime = std::max(2.0, double(events) / 12);
    const u64 arrivals = random.between(2, 6), bytes = random.spread(512, 8192);
    Blocks open;
};

// Two caches that fill up, and a block in every event that is never freed.
SITE(site_beside_caches)
SITE(cache_one)
SITE(cache_two)
class BesideCaches : public Shape {
public:
    BesideCaches(const Job& job) : Shape(job), one(job, cache_one, 400, 2), two(job, cache_two, 2000, 1.8) {
        leaks_from(1, double(bytes), true);
    }

    void event(u64 number) override {
        one.event(number);
        two.event(number);
        u64 left = random.between(bytes / 2, bytes * 2 - bytes / 2);
        make(site_beside_caches, left);
        leave(left);
    }

private:
    const u64 bytes = random.spread(64, 512);
    Fills one, two;
};

#endif
