// What the parts of the program share: functions that are inlined into all of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace shared {

template <class T> inline T square(T value) { return value * value; }

template <class T, int N> struct Power {
  static T of(T value) { return value * Power<T, N - 1>::of(value); }
};
template <class T> struct Power<T, 0> {
  static T of(T) { return T(1); }
};

inline int clamp(int value, int low, int high) {
  if (value < low)
    return low;
  return value > high ? high : value;
}

class Shape {
public:
  explicit Shape(std::string name) : name_(std::move(name)) {}
  virtual ~Shape() { live -= 1; }
  virtual double area() const = 0;
  const std::string &name() const { return name_; }
  inline static int live = 0;

private:
  std::string name_;
};

template <int Sides> class Polygon : public Shape {
public:
  explicit Polygon(double length)
      : Shape("polygon " + std::to_string(Sides)), length_(length) {
    live += 1;
  }
  double area() const override { return square(length_) * Power<double, 2>::of(Sides) / 4; }

private:
  double length_;
};

} // namespace shared

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
